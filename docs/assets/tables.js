// A wide table scrolls. Without a mouse it must be reached by the keyboard to be scrolled.
const reach = () => {
  for (const place of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    place.tabIndex = 0;
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", "Table");
  }
};
new MutationObserver(reach).observe(document.documentElement, { childList: true, subtree: true });
reach();
