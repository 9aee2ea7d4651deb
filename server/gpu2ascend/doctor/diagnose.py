"""All checks of a machine, in the order in which one would mend what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .checks import cann, driver, hosts, npus, packages, ports, starting, system, variables
from .machine import Machine
from .result import Result

Check = Callable[[Machine], Iterator[Result]]
CHECKS: tuple[Check, ...] = (
    system.platform,
    driver.presence,
    driver.devices,
    driver.versions,
    npus.tool,
    npus.health,
    cann.installation,
    cann.driver_for_cann,
    cann.kernels,
    cann.sourced,
    packages.environment,
    packages.matrix,
    packages.companions,
    starting.sources,
    starting.preloaded,
    variables.visible_devices,
    variables.speed,
    variables.collective,
    hosts.kernel_limits,
    hosts.firewall,
    ports.ports,
    ports.logs,
    system.limits,
    system.umask,
    starting.first_operator,
)


def diagnose(machine: Machine) -> list[Result]:
    """What all checks say."""
    return [found for check in CHECKS for found in check(machine)]
