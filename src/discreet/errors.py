"""What can go wrong, as one sentence for the user and one exit code for scripts."""


class DiscreetError(Exception):
    """Every error that discreet raises on purpose; its text is one sentence that names the way out."""

    exit_code = 2


class InputError(DiscreetError):
    """The data, the policy or the call cannot be used as it is."""


class PromiseBrokenError(DiscreetError):
    """A release does not keep the promise in its certificate."""

    exit_code = 1


class NoReleaseError(DiscreetError):
    """No release can keep the promise with this policy."""

    exit_code = 3
