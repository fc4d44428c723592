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
  // What was on the page before it was replaced, and the values of the boxes that are ticked.
  let was = null;
  const ticked = new Set();
  // While an action is under way nothing else is done; for a moment after it, the same is not done again, so that a
  // double press does not act on the next card.
  const MOMENT = 400;
  let isBusy = false;
  let last = "";

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
  let forgetting = 0;
  const forget = () => {
    last = "";
    main.removeAttribute("aria-busy");
  };
  document.addEventListener("htmx:before:request", (event) => {
    const { method, action } = event.detail.ctx.request;
    if (method === "GET") return;
    if (isBusy || action === last) {
      event.preventDefault();
      return;
    }
    isBusy = true;
    last = action;
    main.setAttribute("aria-busy", "true");
  });
  document.addEventListener("htmx:finally:request", (event) => {
    if (event.detail.ctx.request.method === "GET") return;
    isBusy = false;
    clearTimeout(forgetting);
    forgetting = setTimeout(forget, MOMENT);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='/']");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    load(link.getAttribute("href"));
  });
  window.addEventListener("popstate", () => load(location.pathname + location.search));

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting && entry.target.dataset.text) seen.add(entry.target.dataset.text);
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
    const bar = document.querySelector("form.bar");
    const height = bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    document.documentElement.style.scrollPaddingTop = `${height + 16}px`;
    here = -1;
    restoreTicks();
    if (wasSearching) {
      const field = document.getElementById("q");
      if (field) {
        field.focus();
        field.setSelectionRange(field.value.length, field.value.length);
      }
    }
    for (const item of document.querySelectorAll("[data-text]")) watcher.observe(item);
    if (!wasSearching) settle();
    if (document.activeElement === document.body) main.focus({ preventScroll: true });
  };
  document.addEventListener("htmx:before:swap", (event) => {
    wasSearching = document.activeElement !== null && document.activeElement.id === "q";
    const ctx = event.detail.ctx;
    if (!ctx || ctx.target !== main) return;
    const all = items();
    const own = all.indexOf(ctx.sourceElement && ctx.sourceElement.closest("[data-item]"));
    const page = document.getElementById("page");
    was = {
      keys: all.map((item) => item.dataset.item),
      values: boxes().map((box) => box.value),
      at: Math.max(0, own < 0 ? here : own),
      url: page && page.dataset.url,
      isAction: ctx.request.method !== "GET",
      isUndo: ctx.request.action === "/undo",
      isLeft: ctx.request.action === "/inbox/leave",
    };
  });
  document.addEventListener("htmx:after:swap", arrive);

  const items = () => [...document.querySelectorAll("[data-item]")];
  const go = (to) => {
    const all = items();
    if (!all.length) return;
    here = Math.max(0, Math.min(all.length - 1, to));
    for (const item of all) item.classList.remove("is-here");
    all[here].classList.add("is-here");
    all[here].scrollIntoView({ block: all[here].matches("article") ? "start" : "nearest" });
    const inner = all[here].querySelector(":scope > a");
    (inner || all[here]).focus({ preventScroll: true });
  };
  // Marks what follows the card of an action, or what an undo has brought back; a question comes first.
  const settle = () => {
    const before = was;
    was = null;
    const question = document.getElementById("ask");
    const keys = items().map((item) => item.dataset.item);
    const isSame = before && keys[0] && (before.isAction || before.url === document.getElementById("page").dataset.url);
    if (isSame) {
      const isFresh = (key) => !before.keys.includes(key);
      const next = before.keys.slice(before.at + (before.isLeft ? 1 : 0)).find((key) => keys.includes(key));
      const key = (before.isUndo && keys.find(isFresh)) || next || keys.find(isFresh);
      here = key ? keys.indexOf(key) : keys.length;
    }
    if (question) {
      scrollTo(0, 0);
      question.focus();
    } else if (isSame && here < keys.length) go(here);
    else if (!isSame) scrollTo(0, 0);
  };

  const boxes = () => [...document.querySelectorAll("[data-item] input[type=checkbox]")];
  const countTicks = () => {
    const every = document.querySelector("[data-all]");
    if (!every) return;
    const all = boxes();
    const chosen = all.filter((box) => box.checked).length;
    every.checked = chosen === all.length;
    every.indeterminate = chosen > 0 && chosen < all.length;
    document.querySelector("[data-chosen]").textContent = `${chosen} chosen`;
    for (const button of document.querySelectorAll("[data-bulk]")) button.disabled = !chosen;
  };
  const restoreTicks = () => {
    const values = boxes().map((box) => box.value);
    if (was && was.isAction) for (const value of was.values) if (!values.includes(value)) ticked.delete(value);
    for (const box of boxes()) box.checked = ticked.has(box.value);
    countTicks();
  };

  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") {
      if (!isBusy) forget();
      go(here + (key === "j" ? 1 : -1));
    } else if (/^[a-z/]$/.test(key)) {
      if (event.repeat) return;
      const item = items()[here];
      const bulk = document.querySelector(`[data-bulk="${key}"]:not(:disabled)`);
      const target = bulk || (item && item.querySelector(`[data-key="${key}"]`)) || document.querySelector(`[data-key="${key}"]:not([data-item] *)`);
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
    if (event.target.matches("[data-all]")) for (const box of boxes()) box.checked = event.target.checked;
    for (const box of boxes()) {
      if (box.checked) ticked.add(box.value);
      else ticked.delete(box.value);
    }
    countTicks();
  });
  load(location.pathname + location.search);
})();
