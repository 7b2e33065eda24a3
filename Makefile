# What there is to do here: `make help`.

SOURCES := Sources Tests Examples Benchmarks Package.swift Gateway/Sources Gateway/Tests Gateway/Package.swift \
	Fleet/Sources Fleet/Tests Fleet/Package.swift
SCHEMA := Sources/PopupProtocol/Schema

.PHONY: help demo screens test gateway web web-test web-browser-test web-openapi-test web-screenshots fleet-demo fleet-test chaos-fleet simulate chaos attack attack-report fuzz fuzz-seeds mutation-test desktop-test build docs install uninstall deb deb-test service-test containers-test lint format protobuf fleet-protobuf bench bench-peers bench-gateway bench-fleet bench-report instruction-counts scale soak dependencies clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  make %-18s %s\n' "$$name" "$$text"; done

demo: dependencies ## Install what is missing, build, and watch producers compete for several screens
	@Scripts/demo.sh

screens: dependencies ## Draw Documentation/demo.gif, the picture of the README, again, from the demo: BIN=directory-of-binaries OUTPUT=file
	@BIN="$(BIN)" OUTPUT="$(OUTPUT)" Scripts/screens.sh

test: dependencies ## Install what is missing, build, and run every test
	@Scripts/test.sh

simulate: dependencies ## Try to break the broker in simulated runs: SEEDS=1000 FIRST=1
	@SEEDS=$(SEEDS) FIRST=$(FIRST) Scripts/simulate.sh

chaos: dependencies ## Kill processes, damage data directories, and let disks fail, at random: ROUNDS=200 DAMAGES=3000 SEED=1
	@ROUNDS=$(ROUNDS) DAMAGES=$(DAMAGES) SEED=$(SEED) Scripts/chaos.sh

attack: dependencies ## Attack a broker from outside beside a good client (a release build, half an hour): ATTACK="name …" SHORT=yes SEED=1
	@ATTACK="$(ATTACK)" SHORT=$(SHORT) SEED=$(SEED) Scripts/attack.sh

attack-report: ## Write the table of Documentation/Attacks.md from what `make attack` found: RESULTS=".build/attack/results.json …"
	@python3 -B Tests/Attack/report.py $(or $(RESULTS),.build/attack/results.json) Documentation/Attacks.md

fuzz: dependencies ## Fuzz what reads from outside, or list the targets: TARGET=name SECONDS=60, or RUNS=100 SEED=1 to repeat it; MERGE=yes SANITIZE=address
	@TARGET=$(TARGET) FUZZ_SECONDS=$(SECONDS) RUNS=$(RUNS) SEED=$(SEED) MERGE=$(MERGE) SANITIZE=$(SANITIZE) Scripts/fuzz.sh

fuzz-seeds: dependencies ## Write the seeds of the fuzzers' corpora again, from the schema and the code
	@Scripts/fuzz-seeds.py
	@Scripts/fuzz.sh seeds

gateway: dependencies ## Build the gateway, popups over HTTP (the first build takes minutes)
	swift build --package-path Gateway --product popup-gateway

web: dependencies ## Install what is missing, build, and watch the demo's popups in a browser, until Ctrl-C
	@Scripts/web.sh

web-test: dependencies ## Test the gateway: its parts, then a real broker and a real gateway
	@Scripts/web-test.sh

web-browser-test: dependencies ## Test the gateway's pages in Chromium, which is installed if it is missing: SCREENSHOTS=directory
	@ONLY=browser SCREENSHOTS=$(SCREENSHOTS) Scripts/web-test.sh

web-openapi-test: dependencies ## Ask a gateway for all that its description has, by Schemathesis, which is installed if it is missing
	@ONLY=openapi Scripts/web-test.sh

web-screenshots: ## Take the pictures of Documentation/Gateway.md again
	@ONLY=screenshots Scripts/web-test.sh

mutation-test: dependencies ## Put bugs in and show that the tests find each (a minute or two a bug): ONLY=name
	@Scripts/mutants.py $(ONLY)

fleet-demo: dependencies ## Watch screens go on when the broker of a fleet is killed, with etcd on loopback (the first build takes minutes)
	@Scripts/fleet-demo.sh

fleet-test: dependencies ## Test the log of a fleet in a real etcd, and nodes and brokers that are killed, stopped and cut off (the first build takes minutes): ROUNDS=30 SEED=1
	@ROUNDS=$(ROUNDS) SEED=$(SEED) Scripts/fleet-test.sh

chaos-fleet: dependencies ## Kill, stop and cut off the processes of a fleet for hours: ROUNDS=500 SEED=1
	@ROUNDS=$(ROUNDS) SEED=$(SEED) Scripts/fleet-chaos.sh

desktop-test: dependencies ## Test the bridge to and from a desktop's notifications: SCREENSHOTS=directory
	@SCREENSHOTS=$(SCREENSHOTS) Scripts/desktop-test.sh

build: dependencies ## Build the programs, the examples and the tests
	swift build --build-tests

docs: dependencies ## Write the reference of the libraries (DocC) to .build/docs
	@Scripts/docs.sh

install: dependencies ## Install programs with units, manual pages and completions: PREFIX=/usr/local DESTDIR= BIN=directory-of-binaries PROGRAMS="popup-broker popupctl popup-gateway"
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" BIN="$(BIN)" PROGRAMS="$(PROGRAMS)" Scripts/install.sh install

uninstall: ## Remove what was installed, but not the configuration and the data: PREFIX=/usr/local DESTDIR=
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install.sh uninstall

deb: ## Make the Debian packages of broker, popupctl and gateway in .build/deb (needs debhelper, lintian and systemd-analyze): BIN=directory-of-binaries OUT=.build/deb
	@BIN="$(BIN)" OUT="$(OUT)" Scripts/deb.sh

deb-test: ## Install, upgrade, remove and purge the packages in a directory with Debian 12 (as root; needs debootstrap): BIN= ROOT=
	@BIN="$(BIN)" ROOT="$(ROOT)" Scripts/deb-test.sh

service-test: ## Operate the installed packages under systemd in a container (as root; needs buildah and podman): BIN= ROOT= DEB=
	@BIN="$(BIN)" ROOT="$(ROOT)" DEB="$(DEB)" Scripts/service-test.sh

containers-test: ## Build the images, start the compose file, kill the broker's container (as root; needs buildah and podman): BIN= GATEWAY= ROOT=
	@BIN="$(BIN)" GATEWAY="$(GATEWAY)" ROOT="$(ROOT)" Scripts/containers-test.sh

lint: ## Check the format of the code
	swift format lint --strict --parallel --recursive $(SOURCES)

format: ## Bring the code into its format
	swift format format --in-place --parallel --recursive $(SOURCES)

protobuf: ## Generate the wire's code and the clients' values from the schema (needs protoc and protoc-gen-swift)
	protoc --swift_out=Sources/PopupProtocol/Generated \
		--swift_opt=Visibility=Public --swift_opt=UseAccessLevelOnImports=true --swift_opt=FileNaming=DropPath \
		-I $(SCHEMA) $(SCHEMA)/popup_broker.proto
	Scripts/wire_tables.py
	Scripts/popup_values.py

fleet-protobuf: ## Generate the code of etcd's messages from their schema (needs protoc and protoc-gen-swift)
	protoc --swift_out=Fleet/Sources/EtcdLog/Generated \
		--swift_opt=UseAccessLevelOnImports=true --swift_opt=FileNaming=DropPath \
		-I Fleet/Sources/EtcdLog/Schema Fleet/Sources/EtcdLog/Schema/etcd.proto

bench: dependencies ## Compare the broker with a bare relay (a release build, half an hour): ONLY=part RUNS=5
	@Benchmarks/run.sh $(if $(ONLY),--only $(ONLY)) $(if $(RUNS),--runs $(RUNS))

bench-peers: dependencies ## Install other systems from Debian and put them at the same work (a quarter of an hour)
	@Benchmarks/peers.sh $(if $(RUNS),--runs $(RUNS))

bench-gateway: dependencies ## Compare the gateway with nginx + nchan and pushpin, which are installed from Debian, and a bare relay (a release build, ten minutes): RUNS=3
	@RUNS=$(RUNS) Benchmarks/gateway.sh

bench-fleet: dependencies ## Compare a fleet over three members of etcd, which is installed if it is missing, with bare appends to them (a release build, some minutes): RUNS=3 BIN=directory-of-binaries
	@RUNS=$(RUNS) BIN="$(BIN)" Benchmarks/fleet.sh

bench-report: ## Write the tables and plots of Documentation/Performance.md and Fleet.md from what `make bench` and `make bench-fleet` found
	@PYTHONPATH=Benchmarks python3 -B -m bench.report .build/bench/results.json Documentation/Performance.md
	@PYTHONPATH=Benchmarks python3 -B -m bench.report .build/bench/fleet.json Documentation/Fleet.md

instruction-counts: ## Count instructions, allocations, retains of the hot path and compare: PIECES="show" PROFILE=30 UPDATE=yes
	@Benchmarks/InProcess/run.sh $(if $(PIECES),--pieces $(PIECES)) $(if $(PROFILE),--profile $(PROFILE)) \
		$(if $(UPDATE),--update)

scale: dependencies ## Measure how the scheduler grows from thousands to millions (a release build, 6 GB, some minutes)
	@Benchmarks/InProcess/run.sh --scale

soak: dependencies ## Keep a broker at half of its throughput and see that nothing grows: MINUTES=60 DURABILITIES="memory full"
	@MINUTES=$(MINUTES) DURABILITIES="$(DURABILITIES)" Scripts/soak.sh

dependencies:
	@Scripts/install-dependencies.sh

clean: ## Remove what was built
	rm -rf .build .build-fuzz .build-fuzz-address .venv .venv-browser .venv-openapi .venv-screens
