"""Where the dashboard listens: the socket, the names this machine goes by, the way in over SSH.

The socket is bound and listens before anything else is done, so that nobody else gets its port in
between. Knows nothing of what is served.
"""

import errno
import getpass
import os
import socket
from contextlib import suppress

from warpbook.core.errors import BadInput, Missing

LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
BACKLOG = 128
TRIED = 100
HIGHEST = 65535
SSH_PORT = "22"
NOWHERE = ("192.0.2.1", 9)  # an address that no machine has: only the way to it is asked for


class InUse(BadInput):
    """Somebody else listens on that port."""


def listen(host: str, port: int) -> socket.socket:
    """Port 0 is any that is free."""
    if not 0 <= port <= HIGHEST:
        raise BadInput(f"there is no port {port}: give 1 to {HIGHEST}")
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address_of(host), port))
        made.listen(BACKLOG)
    except BaseException as error:
        made.close()
        if isinstance(error, OSError):
            raise refusal(host, port, error) from None
        raise
    return made


def refusal(host: str, port: int, error: OSError) -> BadInput | Missing:
    if error.errno == errno.EADDRINUSE:
        return InUse(f"port {port} is in use on {host}")
    if error.errno == errno.EADDRNOTAVAIL:
        return BadInput(f"--host {host} is no address of this machine")
    if error.errno == errno.EACCES:
        return BadInput(f"port {port} is for the system's own services: choose one above 1023")
    return Missing(f"{host}:{port} cannot be listened on: {error.strerror}")


def listen_after(host: str, port: int) -> socket.socket:
    """The next port above that is free."""
    for number in range(port + 1, min(port + TRIED, HIGHEST) + 1):
        with suppress(InUse):
            return listen(host, number)
    raise BadInput(f"ports {port} to {min(port + TRIED, HIGHEST)} are all in use; give --port")


def address_of(host: str) -> str:
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput(f"--host {host!r} is no IPv4 address or name of this machine") from None
    return str(found[0][4][0])


def names_of(host: str) -> list[str]:
    """What a browser may call this machine, where the dashboard listens on `host`."""
    if host != EVERYWHERE:
        return [host, address_of(host)]
    name = socket.gethostname()
    found = [name, socket.getfqdn()]
    with suppress(OSError):
        found += socket.gethostbyname_ex(name)[2]
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(NOWHERE)  # sends nothing
        found.append(probe.getsockname()[0])
    return [*dict.fromkeys(found)]


def ssh_line(port: int) -> str | None:
    """What to type on one's own machine for the same link to work there; None where this is not
    an SSH session."""
    words = os.environ.get("SSH_CONNECTION", "").split()
    if len(words) != 4:
        return None
    server, server_port = words[2:]
    other = "" if server_port == SSH_PORT else f"-p {server_port} "
    return f"ssh {other}-L {port}:{LOCAL}:{port} {user()}@{server}"


def user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "YOU"
