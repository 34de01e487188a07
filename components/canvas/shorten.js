// Names in as little room as there is, for every figure that draws them: put before a component's own script.
//
// Both ends of a name stay, since names often differ in their last letters, and two names are never drawn alike: one
// that can only be drawn as another is left out (null).
function shortened(name, fits, taken = new Set()) {
  const letters = [...name];
  const free = (words) => !taken.has(words) && fits(words);
  if (fits(name)) return taken.has(name) ? null : name;
  for (let kept = letters.length - 1; kept >= 3; kept -= 1) {
    if (!fits(`${letters.slice(0, kept - Math.floor(kept / 2)).join("")}…${letters.slice(letters.length - Math.floor(kept / 2)).join("")}`)) continue;
    // As many letters of the beginning as of the end; where that is another name's, more of the end, then of the beginning.
    const half = Math.floor(kept / 2);
    const ends = [half];
    for (let step = 1; step < kept; step += 1) ends.push(half + step, half - step);
    for (const end of ends) {
      if (end < 1 || end >= kept) continue;
      const words = `${letters.slice(0, kept - end).join("")}…${letters.slice(letters.length - end).join("")}`;
      if (free(words)) return words;
    }
  }
  return null;
}
