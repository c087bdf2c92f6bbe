// A group of words or bars is one Tab stop: arrows walk along, Home and End go to its ends, Enter and Space take. `find` lists the items anew.
function roving(group, find) {
  group.rove = find;
  const items = find();
  // Where nobody walks just now, a text that grows is entered at its newest word.
  const stop = group.keepsLast && !group.matches(":focus-within") ? items.at(-1) : items.find(item => item.tabIndex === 0) ?? items[0];
  for (const item of items) if ((item.tabIndex === 0) !== (item === stop)) item.tabIndex = item === stop ? 0 : -1;
  if (group.roves) return;
  group.roves = true;
  const turn = (from, to) => {
    for (const item of group.rove()) if (item.tabIndex === 0 && item !== to) item.tabIndex = -1;
    to.tabIndex = 0;
    if (from !== to) to.focus();
  };
  group.addEventListener("focusin", event => { if (group.rove().includes(event.target)) turn(event.target, event.target); });
  group.addEventListener("keydown", event => {
    const all = group.rove();
    const at = all.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const across = group.dataset.down === "" ? { ArrowDown: at + 1, ArrowUp: at - 1 } : { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = { ...across, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) {
      if (event.target.tagName !== "BUTTON" && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        event.stopPropagation();
        event.target.click();
      }
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    turn(event.target, all[Math.max(0, Math.min(to, all.length - 1))]);
  });
}

