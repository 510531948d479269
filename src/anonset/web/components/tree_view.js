// A tree of any size: only the rows in sight are drawn. Nodes come as one list in reading order,
// each as [id, depth, label, support, leaf, leaves, covered, cut].
import { h } from "vue";

const HEIGHT = 34;
const EXTRA = 8;
const TALLEST = 520;

export default {
  props: { label: String },
  emits: ["select", "move", "key"],
  data: () => ({ nodes: [], open: new Set(), chosen: new Set(), current: 0, top: 0, target: null }),
  computed: {
    shown() {
      const places = [];
      for (let i = 0; i < this.nodes.length; ) {
        places.push(i);
        i = this.open.has(this.nodes[i].id) ? i + 1 : this.nodes[i].end;
      }
      return places;
    },
  },
  render() {
    const first = Math.max(0, Math.floor(this.top / HEIGHT) - EXTRA);
    const last = Math.min(this.shown.length, Math.ceil((this.top + TALLEST) / HEIGHT) + EXTRA);
    const rows = [];
    for (let line = first; line < last; line++) rows.push(this.row(line));
    const active = this.shown.length ? { "aria-activedescendant": this.rowId(this.current) } : {};
    return h(
      "div",
      {
        class: "tree",
        role: "tree",
        tabindex: 0,
        "aria-label": this.label,
        "aria-multiselectable": "true",
        ...active,
        onScroll: (event) => (this.top = event.target.scrollTop),
        onKeydown: this.pressed,
      },
      [h("div", { role: "presentation", style: { height: `${this.shown.length * HEIGHT}px` } }), ...rows],
    );
  },
  methods: {
    take(told) {
      const nodes = told.map(([id, depth, label, support, leaf, leaves, covered, cut]) => ({
        ...{ id, depth, label, support, leaf, leaves, covered, cut },
        ...{ end: 0, place: 1, of: 1 },
      }));
      const path = [];
      const close = (depth, end) => {
        while (path.length > depth) {
          const left = path.pop();
          left.node.end = end;
          for (const child of left.children) child.of = left.children.length;
        }
      };
      nodes.forEach((node, i) => {
        close(node.depth, i);
        const parent = path.at(-1);
        node.parent = parent?.place ?? -1;
        if (parent) node.place = parent.children.push(node);
        path.push({ node, place: i, children: [] });
      });
      close(0, nodes.length);
      if (!this.open.size && nodes.length) this.open.add(nodes[0].id);
      this.nodes = Object.freeze(nodes);
      const known = new Set(nodes.map((node) => node.id));
      this.chosen = new Set([...this.chosen].filter((id) => known.has(id)));
      this.current = Math.min(this.current, Math.max(0, this.shown.length - 1));
    },
    rowId(line) {
      return `${this.$el?.id ?? "tree"}-${this.nodes[this.shown[line]].id}`;
    },
    row(line) {
      const place = this.shown[line];
      const node = this.nodes[place];
      const inner = node.end > place + 1;
      const opened = this.open.has(node.id);
      return h(
        "div",
        {
          key: node.id,
          id: this.rowId(line),
          class: ["tree-row", node.support === 0 && "tree-unused", node.cut && "tree-cut", this.target === node.id && "drop-here"],
          role: "treeitem",
          draggable: node.depth > 0,
          "aria-level": node.depth + 1,
          "aria-setsize": node.of,
          "aria-posinset": node.place,
          "aria-selected": String(this.chosen.has(node.id)),
          ...(inner ? { "aria-expanded": String(opened) } : {}),
          style: { top: `${line * HEIGHT}px`, paddingLeft: `${10 + 20 * node.depth}px` },
          onClick: (event) => this.clicked(line, event),
          onDblclick: () => this.twist(line),
          onDragstart: (event) => this.dragged(line, event),
          onDragover: (event) => (event.preventDefault(), (this.target = node.id)),
          onDragleave: () => (this.target = null),
          onDrop: (event) => this.dropped(node, event),
        },
        [
          h("span", { class: "tree-twist", "aria-hidden": "true", onClick: (event) => (event.stopPropagation(), this.twist(line)) }, inner ? (opened ? "▾" : "▸") : "·"),
          h("span", { class: "tree-label" }, node.label),
          h("span", { class: "tree-count" }, this.told(node)),
        ],
      );
    },
    told(node) {
      const records = `${node.support.toLocaleString("en")} ${node.support === 1 ? "record" : "records"}`;
      const shown = node.cut ? "shown in the release · " : "";
      return shown + (node.leaf ? records : `${node.covered.toLocaleString("en")} of ${node.leaves.toLocaleString("en")} values occur · ${records}`);
    },
    twist(line) {
      const place = this.shown[line];
      const { id, end } = this.nodes[place];
      if (end === place + 1) return;
      if (!this.open.delete(id)) this.open.add(id);
    },
    clicked(line, event) {
      const id = this.nodes[this.shown[line]].id;
      if (event.ctrlKey || event.metaKey) {
        if (!this.chosen.delete(id)) this.chosen.add(id);
      } else if (event.shiftKey) {
        const [from, to] = [Math.min(line, this.current), Math.max(line, this.current)];
        for (let i = from; i <= to; i++) this.chosen.add(this.nodes[this.shown[i]].id);
      } else this.chosen = new Set([id]);
      this.current = line;
      this.say();
    },
    say() {
      this.$emit("select", [...this.chosen]);
    },
    go(line, keep) {
      this.current = Math.max(0, Math.min(this.shown.length - 1, line));
      if (!keep) this.chosen = new Set([this.nodes[this.shown[this.current]].id]);
      const at = this.current * HEIGHT;
      if (at < this.$el.scrollTop) this.$el.scrollTop = at;
      const tall = this.$el.clientHeight;
      if (at + HEIGHT > this.$el.scrollTop + tall) this.$el.scrollTop = at + HEIGHT - tall;
      this.say();
    },
    pressed(event) {
      if (!this.shown.length) return;
      const place = this.shown[this.current];
      const node = this.nodes[place];
      const inner = node.end > place + 1;
      const opened = this.open.has(node.id);
      const moves = {
        ArrowDown: () => this.go(this.current + 1, event.ctrlKey),
        ArrowUp: () => this.go(this.current - 1, event.ctrlKey),
        PageDown: () => this.go(this.current + 12),
        PageUp: () => this.go(this.current - 12),
        Home: () => this.go(0),
        End: () => this.go(this.shown.length - 1),
        ArrowRight: () => (inner && !opened ? this.twist(this.current) : inner && this.go(this.current + 1)),
        ArrowLeft: () => (inner && opened ? this.twist(this.current) : node.parent >= 0 && this.go(this.shown.indexOf(node.parent))),
        "*": () => this.openAll(),
        " ": () => (this.chosen.delete(node.id) || this.chosen.add(node.id), this.say()),
        F2: () => this.$emit("key", "rename"),
        Delete: () => this.$emit("key", "delete"),
        Enter: () => this.$emit("key", "move"),
      };
      const act = moves[event.key] ?? (event.key.length === 1 && !event.ctrlKey ? () => this.find(event.key) : null);
      if (!act) return;
      event.preventDefault();
      act();
    },
    find(letter) {
      const starts = (line) => this.nodes[this.shown[line]].label.toLowerCase().startsWith(letter.toLowerCase());
      for (let step = 1; step <= this.shown.length; step++) {
        const line = (this.current + step) % this.shown.length;
        if (starts(line)) return this.go(line);
      }
    },
    openAll() {
      this.open = new Set(this.nodes.filter((node, place) => node.end > place + 1).map((node) => node.id));
    },
    closeAll() {
      this.open = new Set(this.nodes.slice(0, 1).map((node) => node.id));
      this.go(0);
    },
    reveal(id) {
      let place = this.nodes.findIndex((node) => node.id === id);
      if (place < 0) return;
      for (let up = this.nodes[place].parent; up >= 0; up = this.nodes[up].parent) this.open.add(this.nodes[up].id);
      this.$nextTick(() => this.go(this.shown.indexOf(place)));
    },
    dragged(line, event) {
      const id = this.nodes[this.shown[line]].id;
      if (!this.chosen.has(id)) this.clicked(line, event);
      event.dataTransfer.setData("text/plain", "nodes");
    },
    dropped(node, event) {
      event.preventDefault();
      this.target = null;
      this.$emit("move", { nodes: [...this.chosen], to: node.id });
    },
  },
};
