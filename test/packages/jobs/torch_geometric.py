"""A graph network of torch_geometric."""
PROJECT = "torch_geometric"
TASK = "graph convolution, attention and pooling over a batch of graphs, with gradients"
TOLERANCE = 1e-4


def job():
    import torch
    from torch_geometric.data import Batch, Data
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool

    from packages.values import fill, wave

    edges = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    batch = Batch.from_data_list([Data(x=wave(4, 3, step=s), edge_index=edges) for s in (0.3, 0.7)])
    results = {}
    for kind in (GCNConv, GATConv, SAGEConv):
        layer = fill(kind(3, 5))
        y = global_mean_pool(layer(batch.x, batch.edge_index).relu(), batch.batch)
        y.sum().backward()
        results |= {kind.__name__: y, f"gradient of {kind.__name__}": next(layer.parameters()).grad}
    return results
