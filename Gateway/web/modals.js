// What concerns the whole page: one modal box at a time, and clicks that were meant for a popup that has gone.

/** The modal boxes of all screens of a page. The one of the highest priority is open, the others wait. */
export class Modals {
    static #boxes = [];
    static #open = null;

    static add(box) {
        Modals.#boxes.push(box);
        // Of several boxes that are added at once, only the one of the highest priority is opened.
        queueMicrotask(Modals.#choose);
    }

    static remove(box) {
        const place = Modals.#boxes.indexOf(box);
        if (place < 0) return;
        Modals.#boxes.splice(place, 1);
        if (Modals.#open === box) Modals.#open = null;
        // The box itself is closed first, so that the focus returns to where it was.
        queueMicrotask(Modals.#choose);
    }

    static #choose = () => {
        const first = Modals.#boxes.reduce((best, box) => !best || box.priority > best.priority ? box : best, null);
        for (const box of Modals.#boxes) if (box !== first) box.close();
        Modals.#open = first;
        first?.open();
    };
}

/** The places of boxes that have just gone: they take clicks for 300 ms, so that none reaches what lies below. */
export class Shield {
    static #areas = [];

    static cover(area) {
        const until = performance.now() + 300;
        Shield.#areas = [...Shield.#areas.filter(other => other.until > performance.now()), { area, until }];
    }

    static swallow = event => {
        const isCovered = Shield.#areas.some(({ area, until }) => until > performance.now()
            && event.clientX >= area.left && event.clientX < area.right
            && event.clientY >= area.top && event.clientY < area.bottom);
        if (!isCovered || event.detail === 0 && event.type === "click") return;
        event.preventDefault();
        event.stopImmediatePropagation();
    };
}

// Before the listeners of any screen.
for (const name of ["pointerdown", "pointerup", "mousedown", "mouseup", "click"]) {
    window.addEventListener(name, Shield.swallow, { capture: true });
}
