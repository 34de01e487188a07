// What stands at a component's place, kept as long as the place is there.
//
// Streamlit calls a component at first and with each new data, and what that returns where it cancelled the call. But it
// cancels no call whose script is still on its way, and of two imports of one address a browser may finish the later one
// first: the cancelled call then comes last, with data of before. What it showed is taken back.
//
// ``make`` makes what is drawn at the element of this selector, or at the place itself, and ``show`` gives it what Streamlit
// told; what is made may have a ``destroy``.
function keeping(selector, make, show) {
  const places = new WeakMap();
  return (told) => {
    const place = told.parentElement, root = selector ? place.querySelector(selector) : place;
    let kept = places.get(place);
    if (kept?.root !== root) {
      kept?.made.destroy?.();
      kept = { root, made: make(root) };
      places.set(place, kept);
    }
    const before = kept.told;
    const tell = (one) => show(kept.made, (kept.told = one));
    tell(told);
    return () => {
      if (!place.isConnected) kept.made.destroy?.();
      else if (kept.told === told && before) tell(before);
    };
  };
}
