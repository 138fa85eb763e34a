"""Writing the golden files so that the same content is always the same bytes."""

import json
import math

import torch

DTYPE_NAMES = {torch.int64: "I64", torch.float32: "F32"}


def safetensors_bytes(tensors, metadata):
    """The safetensors form of the tensors, integers first, then by name.

    The safetensors package writes its metadata in an order that differs from run to run, hence this writer.
    """
    names = sorted(tensors, key=lambda name: (tensors[name].dtype != torch.int64, name))
    header, blocks, begin = {"__metadata__": dict(sorted(metadata.items()))}, [], 0
    for name in names:
        tensor = tensors[name].contiguous()
        blocks.append(tensor.numpy().astype(tensor.numpy().dtype.newbyteorder("<")).tobytes())
        end = begin + len(blocks[-1])
        header[name] = {
            "dtype": DTYPE_NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text = text.ljust(math.ceil(len(text) / 8) * 8)  # the data starts at a multiple of 8
    return len(text).to_bytes(8, "little") + text + b"".join(blocks)


def safetensors_header(content):
    """The bytes of a file's header: metadata, and name, type and shape of each tensor."""
    return content[: 8 + int.from_bytes(content[:8], "little")]


def json_bytes(value):
    return (json.dumps(value, indent=1) + "\n").encode()
