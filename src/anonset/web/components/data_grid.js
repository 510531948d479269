// Rows of a table, fetched page by page while scrolling. Users' texts are only set as text.
import * as AgGrid from "nicegui-aggrid";
import { h } from "vue";

const PAGE = 200;

class Head {
  init({ column, index, title, role, letter, pick }) {
    const button = document.createElement(pick ? "button" : "div");
    button.className = "grid-head";
    if (letter) {
      const chip = document.createElement("span");
      chip.className = `role role-${role}`;
      chip.textContent = letter;
      button.append(chip);
    }
    const name = document.createElement("span");
    name.textContent = title;
    button.append(name);
    button.title = title;
    if (pick) button.addEventListener("click", () => pick(index));
    this.gui = button;
  }
  getGui() {
    return this.gui;
  }
  refresh() {
    return false;
  }
}

class Cell {
  init({ value }) {
    this.gui = document.createElement("span");
    this.show(value);
  }
  show(value) {
    const { text, mark, before } = value ?? { text: "" };
    const signs = { changed: "≈ ", gone: "✕ " };
    const after = (signs[mark] ?? "") + text;
    this.gui.title = before === undefined ? text : `${before} → ${text}`;
    if (before === undefined) {
      this.gui.textContent = after;
      return;
    }
    this.gui.className = "cell-both";
    this.gui.replaceChildren(line("cell-before", before), line("cell-after", after));
  }
  getGui() {
    return this.gui;
  }
  refresh({ value }) {
    this.show(value);
    return true;
  }
}

function line(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}

export default {
  props: { url: String, columns: Array, label: String, pickable: Boolean, side: String, mirror: String, onlyChanged: Boolean },
  emits: ["pick", "row", "failed"],
  render() {
    return h("div", { class: "grid", role: "region", "aria-label": this.label, onKeydownCapture: this.jump });
  },
  mounted() {
    AgGrid.ModuleRegistry.registerModules([AgGrid.AllCommunityModule]);
    this.recolour = () => (this.$el.dataset.agThemeMode = document.body.classList.contains("body--dark") ? "dark" : "light");
    this.watching = new MutationObserver(this.recolour);
    this.watching.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.recolour();
    this.draw();
  },
  unmounted() {
    this.watching.disconnect();
    this.api?.destroy();
  },
  watch: {
    columns() {
      this.api?.setGridOption("columnDefs", this.definitions());
    },
    url() {
      this.api?.setGridOption("datasource", this.source());
    },
    onlyChanged() {
      this.api?.setGridOption("datasource", this.source());
    },
  },
  methods: {
    draw() {
      this.api = AgGrid.createGrid(this.$el, {
        theme: AgGrid.themeQuartz.withPart(AgGrid.colorSchemeVariable),
        columnDefs: this.definitions(),
        defaultColDef: { sortable: false, resizable: true, minWidth: 118, flex: 1 },
        rowHeight: this.side === "both" ? 84 : 42,
        rowModelType: "infinite",
        cacheBlockSize: PAGE,
        maxBlocksInCache: 10,
        infiniteInitialRowCount: 20,
        datasource: this.source(),
        onRowClicked: (event) => this.$emit("row", event.rowIndex),
        onBodyScroll: (event) => this.follow(event),
        onCellKeyDown: (event) => event.event.key === "Enter" && this.$emit("row", event.rowIndex),
      });
      (globalThis.anonsetGrids ??= new Map()).set(this.$el.id, this);
    },
    // Ctrl+Home and Ctrl+End jump: a browser by itself would scroll there, past all rows between.
    jump(event) {
      const row = event.ctrlKey ? { Home: 0, End: this.api.getDisplayedRowCount() - 1 }[event.key] : undefined;
      if (row === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.api.ensureIndexVisible(row);
      this.api.setFocusedCell(row, this.api.getFocusedCell()?.column ?? "c0");
    },
    definitions() {
      const number = {
        headerName: "row",
        width: 76,
        minWidth: 76,
        flex: 0,
        pinned: "left",
        valueGetter: (row) => (row.node.rowIndex + 1).toLocaleString("en"),
      };
      return [number, ...this.columns.map((column, index) => this.definition(column, index))];
    },
    definition(column, index) {
      return {
        field: `c${index}`,
        flex: column.role === "items" ? 3 : 1,
        minWidth: column.role === "items" && this.side ? 260 : 118,
        hide: column.hidden,
        pinned: (this.$el.clientWidth > 700 && column.pinned) || null, // on a phone it would cover the rest
        width: column.pinned === "right" ? 380 : 160,
        ...(column.pinned ? { flex: 0 } : {}),
        headerName: column.title,
        headerComponent: Head,
        headerComponentParams: {
          index,
          title: column.title,
          role: column.role,
          letter: column.letter,
          pick: this.pickable ? (place) => this.$emit("pick", place) : null,
        },
        cellRenderer: Cell,
        cellClass: ({ value }) => (value?.mark ? `cell-${value.mark}` : ""),
      };
    },
    source() {
      return { getRows: (wanted) => this.fetchRows(wanted) };
    },
    async fetchRows({ startRow, endRow, successCallback, failCallback }) {
      const address = new URL(this.url, location.href);
      address.searchParams.set("start", startRow);
      address.searchParams.set("count", endRow - startRow);
      try {
        const answer = await fetch(address);
        if (!answer.ok) throw new Error((await answer.json()).detail);
        const page = await answer.json();
        successCallback(this.cells(page), page.total);
      } catch (error) {
        failCallback();
        this.$emit("failed", String(error.message));
      }
    },
    cells(page) {
      if (this.side === "both") return page.before.map((before, place) => this.both(before, page.after[place], page.changed[place]));
      return sided(page, this.side).map(([row, changed, gone]) =>
        Object.fromEntries(
          this.columns.map((_, place) => {
            const field = `c${place}`;
            const mark = gone || (changed.includes(field) ? "changed" : "");
            return [field, { text: row ? shown(row[field]) : "left out", mark }];
          }),
        ),
      );
    },
    // One row with what a record showed before over what it shows now; what did not change is said once, or not at all.
    both(before, after, changed) {
      return Object.fromEntries(
        this.columns.map((_, place) => {
          const field = `c${place}`;
          if (!after) return [field, { before: shown(before[field]), text: "left out", mark: "gone" }];
          if (changed.includes(field)) return [field, { before: shown(before[field]), text: shown(after[field]), mark: "changed" }];
          return [field, { text: this.onlyChanged ? "" : shown(after[field]), mark: "" }];
        }),
      );
    },
    follow({ top }) {
      if (!(top >= 0) || this.led === top) return;
      const row = Math.round(top / 42);
      for (const id of (this.mirror ?? "").split(" ")) {
        const other = globalThis.anonsetGrids?.get(id);
        if (!other?.api) continue;
        other.led = top;
        if (row < (other.api.getDisplayedRowCount() ?? 0)) other.api.ensureIndexVisible(row, "top");
      }
    },
  },
};

// A page of plain rows, or one side of records before and after, or in two releases, whose changed fields are marked.
function sided(page, side) {
  if (!side) return page.rows.map((row) => [row, [], ""]);
  return page[side].map((row, place) => [row, row && side !== "before" ? page.changed[place] : [], row ? "" : "gone"]);
}

function shown(value) {
  return Array.isArray(value) ? value.join(", ") : String(value ?? "");
}
