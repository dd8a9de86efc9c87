"""Libraries for images: matplotlib and Pillow."""
from libraries.case import Library

ROWS = "it treats arrays of unknown classes as lists of rows; `numpy.asarray(X)` has columns"

LIBRARIES = [
    Library(
        "matplotlib", setup="import matplotlib; matplotlib.use('agg')\nimport matplotlib.pyplot as plt; plt.close('all')", environment={"MPLBACKEND": "agg"},
        as_numpys="""
            plt.plot(x, y)[0].get_xydata()
            plt.scatter(x, y, c=p).get_offsets().data
            plt.hist(x)[0]
            plt.imshow(X).get_array().data
            plt.imshow(img).get_array()
            plt.pcolormesh(X).get_array().data
            plt.contour(X).levels
            plt.bar(np.arange(64), x).patches[3].get_height()
            plt.fill_between(x, y).get_paths()[0].vertices
            plt.quiver(x, y, x, y).U
            plt.hexbin(x, y).get_array().data
            plt.streamplot(np.arange(5.0), np.arange(5.0), S, S).lines.get_segments()[0]
            plt.specgram(x, NFFT=16, noverlap=8)[0]
            plt.tripcolor(X[:, 0], X[:, 1], t).get_array().data
            plt.figure().add_subplot(projection='3d').plot_surface(S, S, S).get_array()
            plt.colormaps['viridis'](p)
            matplotlib.colors.Normalize()(x).data
            matplotlib.transforms.Affine2D().rotate(0.1).transform(X[:, :2])
        """,
        ours="""
            plt.hist2d(x, y)[0]
            plt.stem(x).markerline.get_ydata()
        """,
        shared=(("matplotlib.path.Path(X[:, :2]).vertices", "X"),),
        differs=(("plt.hist(X)[0]", ROWS), ("plt.boxplot(X)['medians'][0].get_ydata()", ROWS))),
    Library(
        "pillow", setup="from PIL import Image",
        as_numpys="""
            numpy.asarray(Image.fromarray(img))
            numpy.asarray(Image.fromarray(img[:, :, 0]))
            numpy.asarray(Image.fromarray(np.asarray(X, dtype='f4')))
            numpy.asarray(Image.fromarray(img[:, :, 0] > 9))
            numpy.asarray(Image.fromarray(img).resize((8, 8)))
            numpy.asarray(Image.frombuffer('RGB', (16, 16), img, 'raw', 'RGB', 0, 1))
        """,
        ours="np.asarray(Image.fromarray(img))"),
]
