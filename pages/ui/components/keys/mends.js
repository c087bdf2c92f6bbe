// What this app mends of the keys and presses of Streamlit 1.67. Look at each with a new version.

// The link "Skip to main content" leads to the main button of the page. Without one, Streamlit's own target is used.
function skip() {
  const targets = [`${STREAMLIT.main} .st-key-player`, STREAMLIT.main].map(place => `${place} ${STREAMLIT.primaryButton}:not(:disabled)`);
  window.addEventListener("click", event => {
    if (!event.target.closest?.(STREAMLIT.skipLink)) return;
    const button = targets.flatMap(target => [...document.querySelectorAll(target)]).find(found => found.offsetParent !== null);
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    button.focus();
  }, true);
}

// Streamlit joins presses that arrive during one rerun. A press waits until the rerun of the press before it has ended.
function queue(state) {
  window.addEventListener("click", event => {
    const pressed = event.target.closest?.("button");
    if (!pressed) return;
    const name = state.queued.find(one => pressed.closest(`.st-key-${one}`));
    if (!name) {
      state.presses.length = 0;
    } else if (state.waiting) {
      if (state.presses.length < 100) state.presses.push(name);
      event.preventDefault();
      event.stopImmediatePropagation();
    } else {
      state.waiting = setTimeout(() => next(state), 5000); // a rerun that failed does not hold the keys
    }
  }, true);
}

function next(state) {
  clearTimeout(state.waiting);
  state.waiting = 0;
  const button = buttons(state.presses.splice(0, 1)).find(found => !found.disabled);
  if (button) button.click();
  else if (state.presses.length) next(state);
}
