// Puts a figure's tip beside a cell, for every figure that has one: within the figure, and within the window where the
// figure is partly out of sight. Lengths are those of the figure, which a large screen enlarges by `zoom`.
function placeTip(tip, stage, cell, zoom) {
  const { left, top, width, height } = stage.getBoundingClientRect();
  const ends = [Math.min(width, window.innerWidth - left), Math.min(height, window.innerHeight - top)].map((end) => end / zoom);
  const beside = (end, before, after, size, least) => Math.max(after + size <= end ? after : before - size, least);
  const x = beside(ends[0], cell.left - 10, cell.right + 10, tip.offsetWidth, 0);
  const y = beside(ends[1], cell.top - 8, cell.bottom + 6, tip.offsetHeight, Math.max(0, -top / zoom));
  tip.style.transform = `translate(${x}px, ${y}px)`;
}
