"""The promise of a release, checked by the verifier alone; or that of a policy, checked on any table.

Nothing but the verifier is loaded where no policy is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError
from discreet.verifier import ReleaseLimits, Verdict, verify_file, verify_release

if TYPE_CHECKING:
    from discreet.policy import Policy


def verify(
    place: str | Path,
    promise: Sequence[Mapping[str, object]] | None = None,
    *,
    policy: Policy | str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    allow_unnamed: bool = False,
    limits: ReleaseLimits | None = None,
) -> Verdict:
    """Checks a release against the promise in its certificate, or a table against that of a policy, by definition.

    place: the release, or the folder that holds it as release/; with a policy, a table (.csv or .parquet) from
    anywhere, that needs no certificate. promise: checked in place of the certificate's, in the same form. settings:
    policy keys to override. allow_unnamed: what the certificate does not name (other files, metadata of Parquet files)
    is only noted; otherwise it is a breach. limits: the most that is read.

    What breaks its promise gives a verdict that says so; what cannot be understood raises InputError.
    """
    if policy is None:
        if settings:
            raise InputError("settings change a policy, and none is given; name one, or leave them out.")
        return verify_release(place, promise, allow_unnamed=allow_unnamed, limits=limits)
    if promise is not None:
        raise InputError("There are two promises to check, that of the policy and another one; leave one of them out.")
    from discreet.commands.workspace import as_policy

    return verify_file(place, as_policy(policy, settings).claims(), limits=limits)
