package hostconfig

import (
	"github.com/tailscale/hujson"
)

// VS Code's inputs: values that it asks the user for, and keeps. They are a list
// beside the servers.
//
// See: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration

// input is the one that asks for our token.
func (s Server) input() object {
	return object{{"type", "promptString"}, {"id", s.inputID()}, {"description", "Sidekick token"}, {"password", true}}
}

// inputAt finds the list of inputs, and the input with an id in it, -1 without
// one.
func inputAt(root *hujson.Value, id string) (*hujson.Value, int, error) {
	list, depth, err := walk(root, []string{"inputs"})
	if err != nil || depth == 0 {
		return nil, -1, err
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return nil, -1, errNotList{}
	}
	for i := range array.Elements {
		o, ok := array.Elements[i].Value.(*hujson.Object)
		if !ok {
			continue
		}
		if at, err := member(o, "id"); err != nil {
			return nil, -1, err
		} else if at >= 0 {
			if have, ok := o.Members[at].Value.Value.(hujson.Literal); ok && have.String() == id {
				return list, i, nil
			}
		}
	}
	return list, -1, nil
}

type errNotList struct{}

func (errNotList) Error() string { return `its "inputs" is not a list` }

// setInput sees to it that VS Code asks for the token. An input of that id that
// is there already stays as it is.
func setInput(text []byte, s Server) ([]byte, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	list, i, err := inputAt(&root, s.inputID())
	switch {
	case err != nil:
		return nil, err
	case i >= 0:
		return text, nil
	case list == nil:
		return setJSONC(text, []string{"inputs"}, []object{s.input()})
	}
	return appendItem(text, list, layoutOf(text, &root), func(l layout, indent string) string {
		return l.render(s.input(), indent)
	}), nil
}

// deleteInput takes the input out again.
func deleteInput(text []byte, s Server) ([]byte, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	list, i, err := inputAt(&root, s.inputID())
	if err != nil || i < 0 {
		return text, err
	}
	return removeItem(text, list, i), nil
}
