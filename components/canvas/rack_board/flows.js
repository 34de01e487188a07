// What a tile says when one points at it: who gives to it, and to whom it gives.

class Flows {
  explain(tile) {
    const { tip, lines } = this.parts;
    if (!tile || tile.closest(".proxy")) {
      if (!tip.hidden) tip.hidden = true;
      if (lines.childElementCount) lines.replaceChildren();
      return;
    }
    const broker = this.model.brokers.get(Number(tile.dataset.id));
    if (!broker) return;
    const flows = this.flowsOf(broker);
    this.drawLines(broker, flows);
    this.drawTip(tile, broker, flows);
  }

  flowsOf(broker) {
    const { flows } = this.data;
    const ids = this.data.brokers.id;
    const found = [];
    if (!this.model.planned) return found;
    for (let at = 0; at < flows.length; at += 3) {
      if (flows[at] === broker.at || flows[at + 1] === broker.at) {
        found.push({ giver: ids[flows[at]], receiver: ids[flows[at + 1]], replicas: flows[at + 2] });
      }
    }
    return found;
  }

  drawLines(broker, flows) {
    const { lines, stage } = this.parts;
    lines.replaceChildren();
    if (flows.length === 0) return;
    const frame = stage.getBoundingClientRect();
    const middle = (id) => {
      const rect = this.tiles.get(id)?.getBoundingClientRect();
      return rect && [rect.left + rect.width / 2 - frame.left, rect.top + rect.height / 2 - frame.top].map((at) => at / this.larger);
    };
    const most = flows.reduce((top, { replicas }) => Math.max(top, replicas), 1);
    const places = flows.slice(0, MOST_LINES).map((flow) => [middle(flow.giver), middle(flow.receiver), flow.replicas]);
    for (const [from, to, replicas] of places) {
      if (!from || !to) continue;
      const bend = Math.min(60, Math.abs(to[0] - from[0]) / 3 + 14);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${from} C${[from[0], from[1] - bend]} ${[to[0], to[1] - bend]} ${to}`);
      path.setAttribute("stroke-width", (1 + (2 * replicas) / most).toFixed(2));
      lines.appendChild(path);
      const end = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      end.setAttribute("cx", to[0]);
      end.setAttribute("cy", to[1]);
      end.setAttribute("r", "3");
      lines.appendChild(end);
    }
  }

  drawTip(tile, broker, flows) {
    const { tip } = this.parts;
    const out = this.model.out.has(broker.id);
    const now = out ? broker.replicas : (broker.after ?? broker.replicas);
    const delta = now - broker.replicas;
    const leaders = out ? broker.leaders : (broker.leadersAfter ?? broker.leaders);
    const bytes = out ? broker.bytes : (broker.bytesAfter ?? broker.bytes);
    const lines = [
      `Broker ${broker.id} · ${rackWords(this.model, broker.rack)}`,
      [broker.host && broker.host + this.data.hostTail, broker.added ? "new" : STATES[broker.state]]
        .filter(Boolean)
        .join(" · "),
      `${count(now, "replica")}${delta ? ` (${signed(delta)})` : ""}` +
        (leaders === null ? "" : `, ${this.leads(leaders)}`) +
        (bytes === null ? "" : `, ${size(bytes)}`),
    ];
    const gives = flows.filter(({ giver }) => giver === broker.id);
    const gets = flows.filter(({ receiver }) => receiver === broker.id);
    if (gets.length) {
      const shown = gets.slice(0, 3).map(({ giver, replicas }) => `${number.format(replicas)} from broker ${giver}`);
      lines.push(shown.join(", ") + (gets.length > 3 ? `, and ${gets.length - 3} more brokers` : ""));
    }
    if (gives.length) lines.push(`gives to ${count(gives.length, "broker")}`);
    if (broker.behind) lines.push(`${count(broker.behind, "replica")} out of sync`);
    if (out) lines.push("removed");
    // A full tile says all this itself.
    const said = this.root.dataset.mode === "full" && tile.dataset.place === "rack" && !broker.directories.length;
    if (said && !flows.length) return;
    lines.push(...directoryLines(broker.directories));
    tip.replaceChildren();
    lines.forEach((text, at) => write(element(at ? "span" : "b", "", tip), text));
    tip.hidden = false;
    tip.style.transform = "none";
    const own = tip.getBoundingClientRect();
    const rect = tile.getBoundingClientRect();
    const below = rect.bottom + 8 + own.height < window.innerHeight;
    const left = Math.max(8, Math.min(rect.left, window.innerWidth - own.width - 8));
    const top = below ? rect.bottom + 8 : rect.top - own.height - 8;
    tip.style.transform = `translate(${(left - own.left) / this.larger}px, ${(top - own.top) / this.larger}px)`;
  }
}
