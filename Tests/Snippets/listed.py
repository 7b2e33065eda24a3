"""The facts that the check of the documents' blocks cannot find out. A block is named by its page and its first line."""

# Blocks that are not run, and why. The command lines in them are compared with the help of the programs all the same.
BUILDS = "builds: that is what came before this check"
INSTALLS = "changes the machine: Scripts/deb-test.sh and Scripts/service-test.sh do it in a directory"
GATEWAY = "is for the gateway, a package of its own, which is not built here"
CHAPTER = "is for the gateway: Gateway/Tests/Processes/test_tutorial.py runs the chapter"
FLEET = "is for a program of the package Fleet, which is not built here, and needs etcd"
LONG = "takes minutes or more, and is a command of the Makefile"
CONTAINERS = "needs the images, which Scripts/containers-test.sh builds"
SECURITY = "Tests/Checks/70-security-setup runs it"
EXCERPT = "is a part of a program, whose variables the text around it tells"
NOT_RUN = {
    ("README.md", "make demo"): BUILDS,
    ("README.md", "make test"): "runs this check",
    ("README.md", "swift build"): BUILDS,
    ("Deployment.md", "swift build -c release --static-swift-stdlib --product popup-broker"): BUILDS,
    ("Deployment.md", "apt install ./.build/deb/popup-broker_0.2.0-1_amd64.deb ./.build/deb/popupctl_0.2.0-1_amd64.deb"): INSTALLS,
    ("Deployment.md", "systemctl daemon-reload"): INSTALLS,
    ("Deployment.md", "systemctl stop popup-broker"): INSTALLS,
    ("Fleet.md", "swift build --package-path Fleet -c release --static-swift-stdlib --product popup-fleet    # minutes for the first time"): BUILDS,
    ("Fleet.md", "popup-fleet create --endpoints $ETCD --shard main                       # once"): FLEET,
    ("Fleet.md", "popup-fleet create --endpoints http://10.0.0.1:2379,http://10.0.0.2:2379,http://10.0.0.3:2379 --shard main"): FLEET,
    ("Fleet.md", '{"shards": {'): "is a file of clients",
    ("Fleet.md", 'popupctl show --shards shards.json --group store-12/till "Till 3 opens"      # to west'): "needs two brokers",
    ("Fleet.md", "popup-fleet configure --endpoints $ETCD shard.yaml    # set it; --show prints it, --remove removes it"): FLEET,
    ("Fleet.md", "popup-fleet status --endpoints $ETCD       # the log, nodes and their lag, each member of etcd"): FLEET,
    ("Fleet.md", "scrape_configs:"): "is a configuration of Prometheus",
    ("Fleet.md", "popup-fleet status --endpoints https://10.0.0.1:2379 --ca ca.pem --certificate me.pem --key me.key"): FLEET,
    ("Fleet.md", "etcdctl --endpoints $ETCD snapshot save popups.db       # of one member, while it runs"): FLEET,
    ("Fuzzing.md", "make fuzz                                  # lists the targets"): LONG,
    ("Fuzzing.md", ".build-fuzz/release/fuzz frames-json .build-fuzz/artifacts/frames-json-crash-…"): LONG,
    ("Gateway.md", "swift build && make gateway                    # the broker and the gateway; the first builds take minutes"): GATEWAY,
    ("Gateway.md", "tokens:"): GATEWAY,
    ("Gateway.md", "whatIf:"): GATEWAY,
    ("Gateway.md", "popup-gateway token new --name me --may show watch --group kitchen --tokens /etc/popup-gateway/tokens.yaml"): INSTALLS,
    ("Gateway.md", "http:"): GATEWAY,
    ("Gateway.md", "  - name: builds"): GATEWAY,
    ("Gateway.md", "rule_files: [/etc/prometheus/popup.rules.yaml]"): "is a configuration of Prometheus",
    ("Gateway.md", "popup-gateway overlay --group lobby --src http://127.0.0.1:8570 --token-file lobby.token --output overlay.html"): GATEWAY,
    ("Operation.md", "$ popup-broker journal info"): "the answer is that of one data directory",
    ("Performance.md", "make bench                                             # everything except other systems"): LONG,
    ("Performance.md", "make instruction-counts                                            # all pieces, a minute after the build"): LONG,
    ("Protocol.md", 'pub.send(b\'{"show":{"id":"welcome","group":"lobby","priority":5,"durationMs":8000,"text":"Hello"}}\')'): EXCERPT,
    ("Security.md", "for name in broker freight prices alarms lobby hall; do popup-broker keys new --output $name.key; done"): SECURITY,
    ("Security.md", "export POPUP_BROKER_INGRESS=tcp://broker.example:5570 POPUP_BROKER_EGRESS=tcp://broker.example:5571"): SECURITY,
    ("Security.md", "from popupbroker import Producer"): SECURITY,
    ("Security.md", 'socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate("freight.key")'): EXCERPT,
    ("Security.md", "terminal-renderer --group screens/lobby"): SECURITY,
    ("Simulation.md", "make simulate                        # 100 seeds"): LONG,
    ("Simulation.md", "POPUP_DISK_SEEDS=1000 swift test --filter SimulatedDiskTests     # POPUP_FIRST_SEED=1 sets the first seed"): LONG,
    ("Tutorial.md", "cd popup-broker"): BUILDS,
    ("Tutorial.md", "$ make gateway"): CHAPTER,
    ("Tutorial.md", "$ POPUP_GATEWAY_CORS_ORIGINS=http://127.0.0.1:8000 popup-gateway run --tokens tokens.yaml &"): CHAPTER,
    ("Tutorial.md", "$ curl -H \"Authorization: Bearer $TOKEN\" -d 'Two cups' \\"): CHAPTER,
    ("Tutorial.md", "$ cp -r Examples/web-pages pages"): CHAPTER,
    ("Tutorial.md", "$ popup-broker run"): "the check starts its brokers so, at other endpoints",
    ("Tutorial.md", "$ make 2>&1 | line-producer --rules Examples/line-producer/rules/build.yaml --echo"): BUILDS,
    ("Tutorial.md", "$ pip install './python[desktop]'"): "needs a session bus: python/tests/test_desktop.py does it on one",
    ("Upgrading.md", "install -d -o 10570 backup                                    # the user of the containers writes it"): CONTAINERS,
    ("Upgrading.md", "docker compose -p popup-broker stop broker"): CONTAINERS,
    # A manifest, whose packages would be fetched.
    ("Tutorial.md", "// swift-tools-version: 6.2"): "needs the network for what the package depends on",
}

# Commands before a block, in the shell that runs it: what the text around it takes for granted.
BEFORE = {
    ("Configuration.md", "popup-broker run --config popup-broker.yaml --log-level debug --set limits.groups=1000"):
        'cp "$ROOT/Examples/configuration/popup-broker.yaml" .',
    ("MyPopupDoesNotShow.md", "$ popupctl explain welcome"):
        "popupctl suspend '*' --token meeting --min-priority 3\npopupctl show --group lobby --id visitor --priority 5 b\n"
        "popupctl show --group lobby --id welcome 'The canteen is open until 14:00.'",
    ("Operation.md", "popup-broker journal backup --to /backup/popups-$(date +%F)"): "mkdir backup; popupctl show --group g x",
    ("Operation.md", "popupctl stats --prometheus >/var/lib/node_exporter/popup.prom.new"): "mkdir -p var/lib/node_exporter",
    ("Security.md", "security:"): "popup-broker keys new --output broker.key",
    ("Tutorial.md", "$ popupctl policy set lobby --preset polite"): "popupctl clear lobby",
    ("Tutorial.md", "$ popup-broker run --config broker.yaml --record day.jsonl"): "echo 'limits: {groups: 1000}' > broker.yaml",
    ("Tutorial.md", "$ popup-broker journal export > day.jsonl"): "popupctl show --group g x",
}

# Directories of the machine that are some of the check's own.
MOVED = {"/backup/": "backup/", "/var/lib/node_exporter": "var/lib/node_exporter"}

# The files that the text tells the reader to make of a block.
FILES = {("Tutorial.md", '{"at":0,"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}'): "try.jsonl"}

# Programs that run until they are interrupted: what is tried is that they start.
ENDLESS = ("terminal-renderer ", "popupctl events ", "popupctl watch ", "popup-broker run ")

# What the Swift blocks of a page take for granted, by the page.
SWIFT = {
    "README.md": "import PopupClient",
    "ClientLibrary.md": "import Foundation\nimport PopupClient",
    "Plugins.md": "",
    "Gateway.md": "import Foundation\nimport PopupWebClient",
    "PopupCenter.md": "import PopupCenter\nimport Testing",
    "Tutorial.md": "import PopupClient",
}

# What a Swift block takes for granted, ahead of it.
SWIFT_BEFORE = {
    ("ClientLibrary.md", "var popup = Popup(id: \"order-7\", group: \"kiosk\", priority: 5, duration: .seconds(8), text: \"Your order is ready\")"):
        "let connection = try BrokerConnection()\nlet producer = Producer(connection)",
    ("ClientLibrary.md", "let renderer = try Renderer()"): "func draw(_ state: GroupState) {}",
    ("Gateway.md", 'let client = try PopupWebClient(URL(string: "https://popups.example")!, token: token)'):
        'let token = ""\nfunc display(_ popup: Popup?) {}',
    ("PopupCenter.md", 'let closing = try await center.ask(.init(Banner(title: "Delete 3 files?"), priority: 5))'):
        "struct Banner { var title: String }\nfunc delete() {}\nlet center = PopupCenter<Banner>()\n"
        'let id = try await center.show(.init(Banner(title: "")))\nlet state = await center.state(of: "main")',
    ("PopupCenter.md", 'print(await center.explain("tip").decisive.text)'): "let center = PopupCenter<String>()",
    ("Tutorial.md", 'let producer = try Producer(outbox: "/var/lib/lobby/outbox")'):
        'let popup = Popup(group: "lobby", text: "")',
    ("Sources/BrokerService/BrokerService.swift",
     'let service = BrokerService(name: "house-broker", configuration: .ofProcess(file: "house.yaml"))'):
        'import Foundation\nimport PopupBroker\nimport PopupConfiguration\n'
        'final class DisplayTimeRequired: BrokerPlugin { let name = "" }',
    ("Sources/PopupBroker/Broker.swift", "let broker = try Broker("):
        "import PopupJournal\nlet configuration = BrokerConfiguration()",
    ("Sources/PopupCenter/PopupCenter.swift", "let center = PopupCenter<Banner>()"):
        "struct Banner { var title: String }\nstruct Screen { func show(_ banner: Banner?) {} }\nlet screen = Screen()",
    ("Sources/PopupScheduling/Commands/TextBuilder.swift", "var text = TextBuilder()"):
        "var scheduler = Scheduler()\nvar output = EventBuffer()\nlet now: Milliseconds = 0",
    ("Sources/PopupSimulation/Simulation.swift", "import PopupBroker"): "let line: [UInt8] = []",
}
