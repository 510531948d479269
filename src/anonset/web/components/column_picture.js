// How the values of a column are spread: a bar for each range or value, with its name and count on hover.
import { h } from "vue";

export default {
  props: { bars: Array, label: String },
  render() {
    const most = Math.max(1, ...this.bars.map(([, count]) => count));
    const bar = ([name, count]) =>
      h("div", { class: "picture-slot", title: `${name}: ${count.toLocaleString("en")}` }, [
        h("div", { class: "picture-bar", style: { height: `${Math.max(4, (100 * count) / most)}%` } }),
      ]);
    return h("div", { class: "picture", role: "img", "aria-label": this.label }, this.bars.map(bar));
  },
};
