"""Two steps of training that read the loss; `LINE item` and `LINE to` mark what must be found."""
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 1)

    def forward(self, x):
        y = self.linear(x)
        if y.sum().item() > 1e9:  # LINE item in forward
            raise OverflowError
        return y


def read(loss):
    return loss.item()  # LINE item in read


net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    torch.cuda.nvtx.mark(f"step {step}")
    batch = torch.randn(4, 8).to("cuda")  # LINE upload
    loss = net(batch).sum()
    loss.backward()
    optimizer.step()
    read(loss)
