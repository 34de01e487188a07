"""An object that is put whole, and only where there is none of its name if asked: of many who try, one is let through.

What it promises: the store decides, in one request (a PUT with ``If-None-Match: *``); nothing is looked up before. What
Arrow's file systems put replaces whatever is there, and on Azure's storage an empty object is seen first: so what is
put goes another way, by ``obstore``.

What it needs: a store that honours the condition, as Amazon's S3, Azure's storage, MinIO and Ceph do. Credentials come
from the environment: keys, or the role of the machine, the container or the pod.

Source: RFC 9110, section 13.1.2; "Add preconditions to S3 operations" in Amazon's user guide.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

__all__ = ["azure_store", "put", "s3_store"]

#: Seconds until a service that does not answer is given up, and the bytes a second that a line takes at least.
_CONNECT, _ANSWER, _SLOWEST = 5, 60, 250_000
_RETRIES: Any = {"max_retries": 5, "retry_timeout": timedelta(seconds=_ANSWER)}
_STATUS = re.compile(r"status code: (\d{3}[ A-Za-z]*)")


def s3_store(root: str, region: str, endpoint: tuple[str, str] | None, size: int) -> Any:
    """A place on S3, as ``put`` takes it.

    Args:
        root: ``BUCKET/PATH``.
        region: the bucket's.
        endpoint: (scheme, server) of a service of one's own; None: Amazon's.
        size: how many bytes will be put.
    """
    from obstore.store import S3Store

    bucket, _, path = root.partition("/")
    where: dict[str, Any] = {"region": region}
    if endpoint is not None:
        where |= {"endpoint": "://".join(endpoint), "virtual_hosted_style_request": False}
    options = _waits(size) | {"allow_http": endpoint is not None and endpoint[0] == "http"}
    return S3Store(bucket, prefix=path or None, client_options=options, retry_config=_RETRIES, **where)


def azure_store(url: str, size: int, *, plain: bool) -> Any:
    """A place on Azure's storage by its URL (``abfss://``), as ``put`` takes it.

    Args:
        url: of the place.
        size: how many bytes will be put.
        plain: whether the service that the environment names is reached without TLS.
    """
    from obstore.store import from_url

    return from_url(url, client_options=_waits(size) | {"allow_http": plain}, retry_config=_RETRIES)


def put(store: Any, path: str, data: bytes, *, new: bool) -> bool:
    """Make an object, which is seen once it is whole, and say whether that was done.

    Args:
        store: of ``s3_store`` or ``azure_store``.
        path: relative to it.
        data: its content.
        new: only where there is none of this path: one stays as it is, and this says False. A store that does not know
            the condition replaces it, and this says True.

    Raises:
        OSError: it cannot be written, or it is not known whether it was: the answer may be lost on its way.
    """
    import obstore
    from obstore.exceptions import AlreadyExistsError, BaseError

    try:
        obstore.put(store, path, data, mode="create" if new else "overwrite")
    except AlreadyExistsError:
        return False
    except (BaseError, OSError) as error:
        # The whole message quotes the service's answer, which may name keys.
        status = _STATUS.search(str(error))
        reason = f"answered {status.group(1).strip()}" if status else "did not answer"
        raise OSError(f"the service {reason} to a {'conditional put (If-None-Match)' if new else 'put'}") from error
    return True


def _waits(size: int) -> Any:
    return {"connect_timeout": f"{_CONNECT}s", "timeout": f"{_ANSWER + size // _SLOWEST}s"}
