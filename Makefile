# The two commands a newcomer needs: make demo, make test.

GO          ?= go
BIN         := bin/sidekick-mcp
PACKAGE     := ./cmd/sidekick-mcp
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
HOST        := $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)

# The end-to-end tests that a window on a screen could decide otherwise; they
# run once more in one, on a virtual display.
HEADFUL     := ^(TestUserTypes|TestGroupTitles|TestStopOneAgent|TestPopups|TestWake|TestScreenshot|TestHopFailsBetween|TestDemo)

# Without the version control's stamp: a checkout that belongs to somebody else
# than who builds it, as in CI, has git refuse to be asked.
demo check go-test: export GOFLAGS += -buildvcs=false

# Built with the race detector, each process sleeps a second before it exits.
# The tests start thousands.
go-test: export GORACE += atexit_sleep_ms=50

.PHONY: demo test check extension go-test build install npm release setup clean
.DEFAULT_GOAL := build

build:
	$(GO) build -o $(BIN) $(PACKAGE)

demo:
	@scripts/setup.sh demo
	@$(GO) build -o $(BIN) $(PACKAGE)
	@$(BIN) demo $(DEMO_ARGS)

# The binary into GOBIN, and its native messaging manifests to where the
# browsers of this machine look for them.
install:
	$(GO) install $(PACKAGE)
	"$$($(GO) list -f '{{.Target}}' $(PACKAGE))" install

# The npm packages into dist/npm.
npm:
	$(GO) run ./scripts/release npm

# All that a release has, into dist/release, and the npm packages.
release:
	$(GO) run ./scripts/release all

test: setup check extension go-test

setup:
	@scripts/setup.sh test

# The checks that run no test: format, vet, staticcheck, and that it builds for
# every platform that it is for.
check:
	@echo '== gofmt'
	@files=$$(gofmt -l $$(find . -name '*.go' -not -path '*/node_modules/*')); \
	  [ -z "$$files" ] || { echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; }
	@echo '== go mod'
	@$(GO) mod tidy -diff && $(GO) mod verify
	@echo '== go vet'
	@$(GO) vet ./...
	@echo '== staticcheck'
	@$(GO) run $(STATICCHECK) ./...
	@for p in $(PLATFORMS); do \
	  os=$${p%/*} arch=$${p#*/}; \
	  echo "== build $$p"; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -o /dev/null $(PACKAGE) || exit 1; \
	  case $$p in $(HOST)) ;; */amd64) \
	    echo "== vet $$p"; \
	    CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) vet ./... || exit 1;; \
	  esac; \
	done

extension:
	@echo '== extension'
	cd extension && npm ci --no-audit --no-fund && npm run check && npm test

go-test:
	@echo '== go test'
	$(GO) test -race -timeout 15m $$($(GO) list ./... | grep -v -e /e2e -e '/browser$$')
	@# By themselves: their bounds of a few seconds are those of a user's machine.
	@# And never from the cache, which does not know of the browser.
	$(GO) test -race -count=1 -timeout 15m ./browser
	$(GO) test -race -count=1 -timeout 20m ./e2e
	@echo '== go test, with windows on a virtual display'
	E2E_HEADFUL=1 $(GO) test -count=1 -timeout 10m -run '$(HEADFUL)' ./e2e

clean:
	rm -rf bin dist extension/node_modules npm/nodes/node_modules
