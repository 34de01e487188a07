"""The files of deploy/: what a container is built from and runs, what compose and Kubernetes are told."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from components.server.health import routes
from reseat import __version__
from reseat.cli.arguments import parser
from reseat.sources.configuration import named_clusters

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
#: Instructions of the Containerfile with their words, lines that go on joined.
STEPS = [
    (line.split()[0], line.partition(" ")[2])
    for line in re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", (DEPLOY / "Containerfile").read_text(), flags=re.M)).split(
        "\n"
    )
    if line
]
DOCUMENTS: dict[str, dict[str, Any]] = {
    one["kind"]: one for one in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
}


def words(instruction: str) -> list[str]:
    """What each such instruction says, in order."""
    return [said for name, said in STEPS if name == instruction]


def test_an_image_is_built_from_all_that_the_wheel_is_made_of() -> None:
    """Each thing that is copied is there, and nothing that hatchling packs or reads is forgotten."""
    copied = {source for said in words("COPY") if "--from" not in said for source in said.split()[:-1]}
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packed = build["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        *packed["only-include"],
        *packed["force-include"],
        "pyproject.toml",
        "requirements.txt",
        "requirements-kerberos.txt",
        "requirements-kerberos.lock",
        "requirements.lock",
    }
    needed |= {build["project"]["readme"], *build["project"]["license-files"], "tools/requirements.py"}

    assert copied == needed
    assert all((ROOT / name).exists() for name in copied)


def test_all_images_run_as_nobody_in_particular_and_end_well() -> None:
    """Three targets, a numbered user, one volume, a health check and a signal; what they run is a command of Reseat."""
    targets = {said.split()[-1] for said in words("FROM")}
    command = json.loads(words("CMD")[0])
    chosen = parser().parse_args(command)
    checked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", words("HEALTHCHECK")[0])

    assert {"slim", "full", "kerberos"} <= targets
    # The one that installs something more is left as all others.
    assert words("USER") == ["10001", "0", "10001"]
    assert json.loads(words("VOLUME")[0]) == ["/data"]
    assert words("STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(words("ENTRYPOINT")[0]) == ["reseat"]
    assert (chosen.command, chosen.host) == ("dashboard", "0.0.0.0")
    assert checked
    assert (int(checked[1]), checked[2]) == (chosen.port, "/healthz")
    assert words("EXPOSE") == [f"{chosen.port} {chosen.metrics.rpartition(':')[2]}"]
    for name in ("RESEAT_JOURNAL", "RESEAT_LANDING", "RESEAT_TABLES"):
        assert f"{name}=/data/" in words("ENV")[0]


def test_what_compose_starts_is_reached_from_this_machine_alone() -> None:
    """Read-only, without rights; the cluster that it names is one that Reseat reads."""
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    ours, kafka = told["services"]["reseat"], told["services"]["kafka"]
    named = named_clusters(None, ours["environment"])

    assert all(port.startswith("127.0.0.1:") for port in ours["ports"])
    assert ours["read_only"] is True
    assert ours["cap_drop"] == ["ALL"]
    assert ours["build"]["target"] in {said.split()[-1] for said in words("FROM")}
    assert (DEPLOY / ours["build"]["context"] / ours["build"]["dockerfile"]).is_file()
    assert named.refused == {}
    assert [*named.connections["trial"].bootstrap] == ["kafka:9092"]
    assert kafka["environment"]["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://kafka:9092"
    assert set(told["volumes"]) == {volume.partition(":")[0] for volume in ours["volumes"]}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_kubernetes_takes_each_part(kind: str) -> None:
    """By the schemas of Kubernetes itself; an unknown key is refused."""
    latest = kubernetes_validate.latest_version()
    kubernetes_validate.validate(DOCUMENTS[kind], latest, strict=True)
    broken = {**DOCUMENTS[kind], "metadata": {"nmae": "reseat"}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, latest, strict=True)


def test_the_parts_for_kubernetes_fit_each_other_and_reseat() -> None:
    """Labels, ports, volumes, the addresses that are probed, the version, and secrets that Reseat reads."""
    pod = DOCUMENTS["Deployment"]["spec"]["template"]
    ours = pod["spec"]["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in ours["ports"]}
    probes = {ours[name]["httpGet"]["path"] for name in ("livenessProbe", "readinessProbe")}
    secret = tomllib.loads(DOCUMENTS["Secret"]["stringData"]["secrets.toml"])

    assert DOCUMENTS["Deployment"]["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert DOCUMENTS["Service"]["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert DOCUMENTS["Service"]["spec"]["ports"][0]["targetPort"] in ports
    assert " ".join(map(str, ports.values())) == words("EXPOSE")[0]
    assert str(ports["metrics"]) == pod["metadata"]["annotations"]["prometheus.io/port"]
    assert probes == {route.path for route in routes()}
    assert ours["image"].endswith(f":{__version__}")
    assert str(pod["spec"]["securityContext"]["runAsUser"]) == words("USER")[0]
    assert {one["name"] for one in ours["volumeMounts"]} == {one["name"] for one in pod["spec"]["volumes"]}
    assert named_clusters(secret, {}).refused == {}
    assert [*named_clusters(secret, {}).connections] == ["production"]
