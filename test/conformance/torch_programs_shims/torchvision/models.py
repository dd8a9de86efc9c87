"""VGG (Simonyan and Zisserman, 2014) and ResNet (He et al., 2015), without trained weights."""
from types import SimpleNamespace

from torch import nn

VGG16_Weights = SimpleNamespace(IMAGENET1K_V1=None)


def vgg16(weights=None):
    layers, channels = [], 3
    for width in (64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool", 512, 512, 512, "pool", 512, 512, 512, "pool"):
        if width == "pool":
            layers.append(nn.MaxPool2d(2, 2))
        else:
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(inplace=True)]
            channels = width
    net = nn.Module()
    net.features = nn.Sequential(*layers)
    return net


class BasicBlock(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        self.downsample = None
        if stride != 1 or channels_in != channels:
            self.downsample = nn.Sequential(nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        h = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        h += x if self.downsample is None else self.downsample(x)
        return self.relu(h)


class ResNet(nn.Module):
    def __init__(self, blocks, classes=1000):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        channels = 64
        for k, (width, count) in enumerate(zip((64, 128, 256, 512), blocks, strict=True)):
            layer = []
            for i in range(count):
                layer.append(BasicBlock(channels, width, 2 if k and not i else 1))
                channels = width
            setattr(self, f"layer{k + 1}", nn.Sequential(*layer))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(512, classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for k in range(1, 5):
            x = getattr(self, f"layer{k}")(x)
        return self.fc(self.avgpool(x).flatten(1))


def resnet18(weights=None):
    return ResNet((2, 2, 2, 2))
