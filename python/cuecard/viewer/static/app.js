// The frame of the page: it keeps the token, follows links without reloading, and knows the keys.
"use strict";
(() => {
  const KEY = "cuecard-token";
  if (location.hash.length > 1) {
    sessionStorage.setItem(KEY, location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
  }
  const token = sessionStorage.getItem(KEY);
  const main = document.getElementById("main");
  const seen = new Set();
  let here = -1;
  let wasSearching = false;

  const load = (address) => htmx.ajax("GET", address, { target: "#main" });

  if (!token) {
    document.getElementById("locked").hidden = false;
    return;
  }
  document.addEventListener("htmx:config:request", (event) => {
    const request = event.detail.ctx.request;
    request.headers["X-Cuecard-Token"] = token;
    for (const field of document.querySelectorAll("[data-seen]")) field.value = [...seen].join(",");
    if (request.body && request.body.has && request.body.has("seen") && document.querySelector("[data-seen]")) {
      const own = request.body.get("seen");
      request.body.set("seen", [...seen, own].join(","));
    }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='/']");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    load(link.getAttribute("href"));
  });
  window.addEventListener("popstate", () => load(location.pathname + location.search));

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting && entry.target.dataset.id) seen.add(entry.target.dataset.id);
  }, { threshold: 0.3 });

  const arrive = () => {
    const page = document.getElementById("page");
    if (!page || page.dataset.known) return;
    page.dataset.known = "1";
    const address = page.dataset.url;
    if (address && address !== location.pathname + location.search) history.pushState(null, "", address);
    document.title = `${page.dataset.title} · cuecard`;
    for (const link of document.querySelectorAll("[data-nav]")) {
      if (link.tagName !== "A") continue;
      if (link.dataset.nav === page.dataset.nav) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      if (link.dataset.nav === "inbox") {
        if (page.dataset.waiting === "0") delete link.dataset.number;
        else link.dataset.number = page.dataset.waiting;
      }
    }
    document.getElementById("status").textContent = page.dataset.title;
    here = -1;
    if (wasSearching) {
      const field = document.getElementById("q");
      if (field) {
        field.focus();
        field.setSelectionRange(field.value.length, field.value.length);
      }
    }
    for (const item of document.querySelectorAll("[data-id]")) watcher.observe(item);
    if (document.activeElement === document.body) main.focus({ preventScroll: true });
  };
  document.addEventListener("htmx:before:swap", () => {
    wasSearching = document.activeElement !== null && document.activeElement.id === "q";
  });
  document.addEventListener("htmx:after:swap", arrive);

  const items = () => [...document.querySelectorAll("[data-item]")];
  const go = (to) => {
    const all = items();
    if (!all.length) return;
    here = Math.max(0, Math.min(all.length - 1, to));
    for (const item of all) item.classList.remove("is-here");
    all[here].classList.add("is-here");
    all[here].scrollIntoView({ block: "nearest" });
    const inner = all[here].querySelector(":scope > a");
    (inner || all[here]).focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") go(here + (key === "j" ? 1 : -1));
    else if (/^[a-z/]$/.test(key)) {
      const item = items()[here];
      const target = (item && item.querySelector(`[data-key="${key}"]`)) || document.querySelector(`[data-key="${key}"]:not([data-item] *)`);
      if (!target || target.disabled) return;
      if (target.matches("input:not([type=checkbox])")) target.focus();
      else target.click();
    } else return;
    event.preventDefault();
  });
  let pause = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "q") return;
    clearTimeout(pause);
    pause = setTimeout(() => event.target.form.requestSubmit(), 250);
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    for (const box of document.querySelectorAll("[data-item] input[type=checkbox]")) box.checked = event.target.checked;
  });
  load(location.pathname + location.search);
})();
