// Streamlit's own elements by their test ids, of Streamlit 1.67: the only place of the scripts that names them. frame.css has those of the styles.
const STREAMLIT = Object.fromEntries(Object.entries({
  app: "stApp", main: "stMain", sidebar: "stSidebar", collapse: "stSidebarCollapseButton", sidebarContent: "stSidebarContent", bottom: "stBottom", menuSection: "stTopNavSection",
  menuLink: "stTopNavLink", sidebarLink: "stSidebarNavLink",
  skipLink: "stSkipToContent", primaryButton: "stBaseButton-primary", popover: "stPopoverBody", dialog: "stDialog", tooltip: "stTooltipContent",
  markdown: "stMarkdownContainer", caption: "stCaptionContainer", html: "stHtml", plainText: "stText",
}).map(([name, id]) => [name, `[data-testid="${id}"]`]));

// Whether the browser is connected, and whether a script of the page runs: attributes of the app's element, for `attributeFilter`, too.
const STATES = ["data-test-connection-state", "data-test-script-state"];
const isConnected = app => app.dataset.testConnectionState === "CONNECTED";
const isIdle = app => app.dataset.testScriptState === "notRunning";

