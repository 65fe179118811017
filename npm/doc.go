// Package npm tests the npm package in the way that users meet it: npm installs
// it from a registry, and a host starts it through npx. It has nothing else; its
// tests look at processes through /proc, so they are for Linux.
package npm
