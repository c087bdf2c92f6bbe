// What this app mends of the keys and presses of Streamlit 1.67. Look at each with a new version.

// The link "Skip to main content" leads to the main button of the page. Without one, Streamlit's own target is used.
function skip() {
  const targets = [`${STREAMLIT.main} .st-key-player`, STREAMLIT.main].map(place => `${place} ${STREAMLIT.primaryButton}:not(:disabled)`);
  window.addEventListener("click", event => {
    if (!event.target.closest?.(STREAMLIT.skipLink)) return;
    const found = [window.tokenViewerLive?.buttons.step, ...targets.flatMap(target => [...document.querySelectorAll(target)])];
    const button = found.find(one => one?.isConnected && one.offsetParent !== null);
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    button.focus();
  }, true);
}
