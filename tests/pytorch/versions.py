"""Versions of torch: "2.9" or "2.9.1+cu128" against conditions as ">=2.9" or "<2.9"; a third number plays no part."""


def numbers(version):
    return tuple(map(int, version.split(".")[:2]))


def fits(version, condition):
    """Raises ValueError for a condition that is neither."""
    if condition.startswith(">="):
        return numbers(version) >= numbers(condition[2:])
    if condition.startswith("<"):
        return numbers(version) < numbers(condition[1:])
    raise ValueError(f"{condition}: not a condition for versions")
