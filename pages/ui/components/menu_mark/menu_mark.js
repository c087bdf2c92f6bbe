// Marks the group of the open page in the menu above, for eyes (frame.css) and for screen readers, and tells the page its language.
export default function ({ data }) {
  const mark = () => document.querySelectorAll('[data-testid="stTopNavSection"]').forEach(button => {
    if (button.textContent.trim().startsWith(data.group)) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  mark();
  document.documentElement.lang = data.language;
  for (const later of [300, 1500]) setTimeout(mark, later); // the menu may be drawn after this
}
