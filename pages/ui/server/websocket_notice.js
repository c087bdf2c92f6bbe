// Says why the page stays empty if a websocket cannot be opened. A component cannot say it, because components arrive by the websocket.
(sentence => {
  const PATIENCE = 10_000; // milliseconds until the first look, and between looks
  const notice = document.createElement("div");
  notice.setAttribute("role", "alert");
  notice.className = "tv-no-websocket";
  notice.style = "position:fixed;inset:0 0 auto;z-index:2000000;padding:16px;font:16px/1.5 sans-serif;color-scheme:light dark;color:CanvasText;background:Canvas;border-bottom:2px solid";

  function look() {
    if (window.tokenViewerPage !== undefined) return notice.remove(); // a page was drawn
    const address = new URL("./_stcore/stream", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address, ["streamlit"]);
    socket.onopen = () => { notice.remove(); socket.close(); };
    socket.onerror = () => {
      notice.textContent = sentence;
      document.body.append(notice);
      setTimeout(look, PATIENCE);
    };
  }

  setTimeout(look, PATIENCE);
})
