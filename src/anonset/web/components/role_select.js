// The role or the kind of a column: a list to choose from, a role in its colour.
import { h } from "vue";

export default {
  props: { value: String, roles: Array, label: String, focusKey: String },
  emits: ["pick"],
  render() {
    const option = ([role, words, hint]) => h("option", { value: role, title: hint, selected: role === this.value }, words);
    return h(
      "select",
      {
        class: ["role-select", `role-${this.value}`],
        "aria-label": this.label,
        "data-key": this.focusKey,
        value: this.value,
        onChange: (event) => this.$emit("pick", event.target.value),
      },
      this.roles.map(option),
    );
  },
};
