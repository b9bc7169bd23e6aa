// swift-tools-version: 6.2
// The layout of Carillon: a module imports only modules of its own layer and of lower ones; Domain is the lowest. Each
// layer is a folder of Sources, and the tests of its modules are in the folder of Tests with the same name. Modules of
// decisions (Core, Wire, Session, Gateway, Provider, APNs, FCM, WebPush, Delivery, Cluster) depend on no module that
// has sockets or threads, and import neither Glibc nor Foundation; reviewers keep the second, as the compiler permits
// it. Each C library has exactly one importer in Sources; nghttp2 has another one in Tools, for the server half of
// HTTP/2, and OpenSSL one in the tests of CarillonTLS.
//
// CarillonClient and the modules that it imports are for Linux and macOS. All others are for Linux, and import Glibc
// without a condition.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let deques: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heaps: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")
let http1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")

// The layers of Sources/Documentation/Modules.md: each is a folder of Sources, and of Tests.
enum Layer: String {
    case domain = "Domain"
    case platform = "Platform"
    case storage = "Storage"
    case delivery = "Delivery"
    case server = "Server"
    case client = "Client"
    case commands = "Commands"
    // In Tests only: the tests of the simulators, which are in the folder Tools.
    case tools = "Tools"
}

func library(_ name: String, in layer: Layer, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)", swiftSettings: settings)
}

// A C library, made visible and nothing else.
func systemLibrary(_ name: String, in layer: Layer, pkgConfig: String, debianPackage: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(layer.rawValue)/\(name)", pkgConfig: pkgConfig, providers: [.apt([debianPackage])])
}

// The tests of a library, or of a program. The target of a program's tests is called after its main type.
func tests(
    _ name: String, in layer: Layer, ofProgram program: String? = nil, _ dependencies: [Target.Dependency]
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.target(name: program ?? name)] + dependencies,
        path: "Tests/\(layer.rawValue)/\(name)Tests", swiftSettings: settings)
}

// What the tests of several targets need.
func testKit(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Kits/\(name)", swiftSettings: settings)
}

// A program that a package installs.
func program(
    _ name: String, in layer: Layer, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)", exclude: exclude,
        swiftSettings: settings)
}

// A program for tests and measurements, or one that stands in for a provider.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tools/\(name)", swiftSettings: settings)
}

func toolLibrary(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tools/libraries/\(name)", swiftSettings: settings)
}

// The commit of a release build: CARILLON_REVISION=$(git rev-parse HEAD) swift build … Without the
// variable the revision is "unknown", so that a new commit does not make a development build compile again.
let revision = Context.environment["CARILLON_REVISION"].flatMap {
    $0.allSatisfy(\.isHexDigit) && !$0.isEmpty ? $0 : nil
}

let package = Package(
    name: "carillon",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CarillonClient", targets: ["CarillonClient"]),
        .executable(name: "carillond", targets: ["carillond"]),
        .executable(name: "carillon", targets: ["carillon"]),
        .executable(name: "carillon-dump", targets: ["carillon-dump"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
        .executable(name: "push-simulator", targets: ["push-simulator"]),
        .executable(name: "carillon-bench", targets: ["carillon-bench"]),
        .executable(name: "carillon-load", targets: ["carillon-load"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/apple/swift-configuration",
            from: "1.4.0",
            traits: [.defaults, "CommandLineArguments"]
        ),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // Domain and protocol. No I/O.
        library("CarillonCore", in: .domain),
        library("CarillonWire", in: .domain, ["CarillonCore"]),
        library("CarillonSession", in: .domain, ["CarillonCore", "CarillonWire"]),
        library("CarillonGateway", in: .domain, ["CarillonCore", "CarillonWire"]),

        // The system, and C libraries. They open no sockets.
        systemLibrary("CCarillonLMDB", in: .platform, pkgConfig: "lmdb", debianPackage: "liblmdb-dev"),
        systemLibrary("CCarillonNghttp2", in: .platform, pkgConfig: "libnghttp2", debianPackage: "libnghttp2-dev"),
        systemLibrary("CCarillonOpenSSL", in: .platform, pkgConfig: "openssl", debianPackage: "libssl-dev"),
        .target(
            name: "CCarillonRevision", path: "Sources/Platform/CCarillonRevision",
            cSettings: revision.map { [.define("CARILLON_REVISION", to: $0)] } ?? []),
        library("CarillonThread", in: .platform),
        library("CarillonClock", in: .platform, ["CarillonCore"]),
        library("CarillonSpelling", in: .platform),
        library("CarillonVersion", in: .platform, ["CCarillonRevision"]),
        library("CarillonLMDB", in: .platform, ["CCarillonLMDB", "CarillonThread"]),
        library("CarillonTLS", in: .platform, ["CCarillonOpenSSL"]),
        library("CarillonHTTP2", in: .platform, ["CCarillonNghttp2", "CarillonCore"]),
        library("CarillonTLSChannel", in: .platform, ["CarillonTLS"] + nio),

        // Storage and cluster. CarillonCluster has decisions only.
        library("CarillonCluster", in: .storage, ["CarillonCore"]),
        library(
            "CarillonRegistry", in: .storage,
            [
                "CarillonCore", "CarillonCluster", "CarillonWire", "CarillonClock", "CarillonLMDB", "CarillonThread",
                deques,
            ]),
        // libpq is loaded when it is first used, so that a server without a cluster needs no PostgreSQL library.
        .target(
            name: "CCarillonPostgreSQL", path: "Sources/Storage/CCarillonPostgreSQL",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        library(
            "CarillonPostgreSQL", in: .storage,
            ["CCarillonPostgreSQL", "CarillonCore", "CarillonCluster", "CarillonClock", "CarillonThread", deques]),
        library(
            "CarillonClusterNode", in: .storage,
            [
                "CarillonCore", "CarillonCluster", "CarillonClock", "CarillonRegistry", "CarillonThread",
            ] + nio),

        // Delivery and providers. Only CarillonTransport has I/O.
        library("CarillonDelivery", in: .delivery, ["CarillonCore", deques, heaps]),
        library("CarillonProvider", in: .delivery, ["CarillonCore"]),
        library("CarillonAPNs", in: .delivery, ["CarillonCore", "CarillonProvider"]),
        library("CarillonFCM", in: .delivery, ["CarillonCore", "CarillonProvider"]),
        library("CarillonWebPush", in: .delivery, ["CarillonCore", "CarillonProvider", "CarillonTLS"]),
        library(
            "CarillonTransport", in: .delivery,
            [
                "CarillonCore", "CarillonProvider", "CarillonAPNs", "CarillonFCM", "CarillonWebPush", "CarillonClock",
                "CarillonHTTP2", "CarillonTLS", deques, coreMetrics, log,
            ] + nio),

        // Server. Tools/support/embed.py writes the assets of CarillonHTTP into Generated/EmbeddedAssets.swift.
        .target(
            name: "CarillonHTTP",
            dependencies: [
                "CarillonCore", "CarillonClock", "CarillonGateway", "CarillonTLS", "CarillonTLSChannel",
                "CarillonVersion", "CarillonWire", http1, log,
            ] + nio,
            path: "Sources/Server/CarillonHTTP",
            exclude: ["Assets"],
            swiftSettings: settings
        ),
        library(
            "CarillonServer", in: .server,
            [
                "CarillonHTTP", "CarillonCluster", "CarillonClusterNode", "CarillonPostgreSQL", "CarillonCore",
                "CarillonWire", "CarillonSession", "CarillonClock", "CarillonRegistry", "CarillonProvider",
                "CarillonAPNs", "CarillonFCM", "CarillonWebPush", "CarillonDelivery", "CarillonTransport",
                "CarillonTLS", "CarillonTLSChannel", "CarillonSpelling", "CarillonVersion", configuration, coreMetrics,
                http1, lifecycle, log, signals,
            ] + nio),
        program(
            "carillond", in: .server,
            [
                "CarillonServer", "CarillonCore", "CarillonSpelling", "CarillonTLS", "CarillonVersion", lifecycle,
                signals, configuration, coreMetrics, log, system,
            ]),

        // Client. It needs neither LMDB nor nghttp2.
        library(
            "CarillonClient", in: .client,
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTLSChannel",
                "CarillonVersion", lifecycle, log,
            ] + nio),

        // Commands: the programs beside the server, and what they share.
        //
        // CarillonSimulatorControl, the client of the simulators' control port, needs no HTTP/2. So it is no part of
        // the library that the simulators share.
        library("CarillonSimulatorControl", in: .commands, nio),
        library("CarillonArguments", in: .commands, ["CarillonSpelling", arguments]),
        library(
            "CarillonCommandLine", in: .commands,
            [
                "CarillonArguments", "CarillonClient", "CarillonCore", "CarillonSpelling", "CarillonVersion", arguments,
            ]),
        program(
            "carillon", in: .commands,
            [
                "CarillonArguments", "CarillonClient", "CarillonClock", "CarillonCommandLine", "CarillonCore",
                "CarillonSpelling", "CarillonVersion", arguments,
            ]),
        program(
            "carillon-dump", in: .commands,
            [
                "CarillonArguments", "CarillonClient", "CarillonClock", "CarillonCommandLine", "CarillonCore",
                "CarillonRegistry", "CarillonTLS", "CarillonVersion", arguments,
            ]),
        program(
            "carillon-load", in: .commands,
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTLSChannel",
                "CarillonClient", "CarillonArguments", "CarillonCommandLine", "CarillonSimulatorControl",
                "CarillonSpelling", "CarillonVersion", arguments, histogram,
            ] + nio,
            // Tools/support/embed.py writes it into Generated/EmbeddedStyle.swift.
            exclude: ["Report/ReportPage.css"]),

        // The examples of the client, and its benchmark. They are a package of their own as well, which a program of a
        // user looks like; here they are compiled once, with the client that is tested.
        .executableTarget(
            name: "carillon-examples", dependencies: ["CarillonClient"],
            path: "Protocol/clients/swift/Sources/carillon-examples", swiftSettings: settings),
        .executableTarget(
            name: "carillon-client-benchmark", dependencies: ["CarillonClient"],
            path: "Protocol/clients/swift/Sources/carillon-client-benchmark", swiftSettings: settings),
        // A program of the tests of all clients, run_losses.py.
        .executableTarget(
            name: "carillon-send-many", dependencies: ["CarillonClient"],
            path: "Protocol/clients/swift/Sources/carillon-send-many", swiftSettings: settings),

        // Programs for developers, the simulators, and what several of them need.
        tool("carillon-recover", ["CarillonCore", "CarillonRegistry", arguments]),
        // The server half of HTTP/2: only the simulators, the fuzzer and tests need it.
        toolLibrary("CarillonHTTP2Server", ["CCarillonNghttp2", "CarillonHTTP2"]),
        // What both simulators have: connections, their faults, and the control port.
        toolLibrary(
            "CarillonSimulator",
            ["CarillonCore", "CarillonHTTP2", "CarillonHTTP2Server", "CarillonTLS", signals] + nio),
        tool(
            "apns-simulator",
            [
                "CarillonArguments", "CarillonCore", "CarillonHTTP2", "CarillonHTTP2Server", "CarillonSimulator",
                "CarillonTLS", "CarillonVersion", arguments,
            ] + nio),
        tool(
            "push-simulator",
            [
                "CarillonArguments", "CarillonCore", "CarillonHTTP2", "CarillonHTTP2Server", "CarillonSimulator",
                "CarillonTLS", "CarillonVersion", arguments,
            ] + nio),
        tool(
            "carillon-bench",
            [
                "CarillonCore", "CarillonWire", "CarillonProvider", "CarillonAPNs", "CarillonFCM", "CarillonWebPush",
                "CarillonTransport", "CarillonTLS", "CarillonClient", "CarillonClock", "CarillonRegistry",
                "CarillonCluster", "CarillonClusterNode", "CarillonPostgreSQL", "CarillonSimulatorControl", arguments,
                log,
            ] + nio
        ),
        tool("carillon-cluster-simulation", ["CarillonClusterTestKit", arguments]),
        tool("push-vectors", ["CarillonCore", "CarillonProvider", "CarillonFCM", "CarillonTLS", "CarillonWebPush"]),

        // Tests. What several targets need is in the test kits.
        testKit("CarillonTestKit", ["CarillonCore", "CarillonWire", "CarillonTLS", log] + nio),
        // What the tests of the protocol and the fuzzer need.
        testKit("CarillonWireTestKit", ["CarillonCore", "CarillonWire"]),
        testKit("CarillonRegistryTestKit", ["CarillonCore", "CarillonRegistry", "CarillonTestKit"]),
        // What the tests of clusters and carillon-cluster-simulation need.
        testKit("CarillonClusterTestKit", ["CarillonCluster", "CarillonCore", heaps]),
        testKit("CarillonPostgreSQLTestKit", ["CarillonCluster", "CarillonClusterTestKit", "CarillonPostgreSQL"]),
        tests("CarillonCore", in: .domain, ["CarillonTestKit"]),
        tests("CarillonWire", in: .domain, ["CarillonCore", "CarillonTestKit", "CarillonWireTestKit"]),
        tests(
            "CarillonSession", in: .domain,
            ["CarillonCore", "CarillonWire", "CarillonTestKit", "CarillonWireTestKit"]),
        tests("CarillonGateway", in: .domain, ["CarillonCore", "CarillonWire", "CarillonTestKit"]),
        tests("CarillonLMDB", in: .platform, ["CarillonCore", "CarillonTestKit", "CarillonThread"]),
        tests("CarillonThread", in: .platform, []),
        tests("CarillonTLS", in: .platform, ["CCarillonOpenSSL", "CarillonTestKit"]),
        tests(
            "CarillonTLSChannel", in: .platform,
            ["CarillonTLS", "CarillonTestKit", .product(name: "NIOEmbedded", package: "swift-nio")] + nio),
        tests("CarillonHTTP2", in: .platform, ["CarillonHTTP2Server"]),
        tests("CarillonSpelling", in: .platform, []),
        tests("CarillonCluster", in: .storage, ["CarillonCore", "CarillonClusterTestKit", "CarillonTestKit"]),
        tests(
            "CarillonPostgreSQL", in: .storage,
            ["CarillonCluster", "CarillonCore", "CarillonClusterTestKit", "CarillonPostgreSQLTestKit"]),
        tests(
            "CarillonClusterNode", in: .storage,
            [
                "CarillonCluster", "CarillonClusterTestKit", "CarillonCore", "CarillonPostgreSQLTestKit",
                "CarillonLMDB", "CarillonRegistry", "CarillonRegistryTestKit", "CarillonTestKit", "CarillonThread",
            ] + nio),
        tests(
            "CarillonRegistry", in: .storage,
            [
                "CarillonCluster", "CarillonCore", "CarillonWire", "CarillonClock", "CarillonLMDB",
                "CarillonRegistryTestKit", "CarillonTestKit",
            ]),
        tests("CarillonProvider", in: .delivery, ["CarillonCore", "CarillonAPNs"]),
        tests("CarillonAPNs", in: .delivery, ["CarillonCore", "CarillonProvider", "CarillonTestKit"]),
        tests("CarillonFCM", in: .delivery, ["CarillonCore", "CarillonProvider", "CarillonTLS", "CarillonTestKit"]),
        tests(
            "CarillonWebPush", in: .delivery,
            ["CarillonCore", "CarillonProvider", "CarillonTLS", "CarillonTestKit"]),
        tests("CarillonDelivery", in: .delivery, ["CarillonCore", "CarillonAPNs", "CarillonFCM", "CarillonProvider"]),
        tests(
            "CarillonTransport", in: .delivery,
            [
                "CarillonCore", "CarillonProvider", "CarillonAPNs", "CarillonFCM", "CarillonClock", "CarillonHTTP2",
                "CarillonHTTP2Server", "CarillonTLS", "CarillonTestKit", coreMetrics, log,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "CarillonHTTP", in: .server,
            [
                "CarillonCore", "CarillonGateway", "CarillonWire", "CarillonTestKit", http1,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "CarillonServer", in: .server,
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTestKit",
                "CarillonAPNs", "CarillonDelivery", "CarillonTransport", configuration, coreMetrics, log,
                // The bounds of the page Threads and bounds.
                "CarillonCluster", "CarillonHTTP", "CarillonPostgreSQL", "CarillonRegistry",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests("Carillond", in: .server, ofProgram: "carillond", ["CarillonServer"]),
        tests(
            "CarillonClient", in: .client,
            [
                "CarillonCore", "CarillonWire", "CarillonTestKit", "CarillonTLS", "CarillonTLSChannel", log,
                .product(name: "Metrics", package: "swift-metrics"),
            ] + nio),
        tests("CarillonArguments", in: .commands, [arguments]),
        tests("CarillonCommandLine", in: .commands, ["CarillonClient", "CarillonTestKit", arguments]),
        tests(
            "CarillonSimulatorControl", in: .commands,
            [.product(name: "NIOEmbedded", package: "swift-nio")] + nio),
        tests(
            "Carillon", in: .commands, ofProgram: "carillon",
            [
                "CarillonArguments", "CarillonClient", "CarillonCommandLine", "CarillonCore", "CarillonTestKit",
                "CarillonWire", arguments,
            ]),
        tests(
            "CarillonDump", in: .commands, ofProgram: "carillon-dump",
            [
                "CarillonCommandLine", "CarillonCore", "CarillonLMDB", "CarillonRegistry", "CarillonRegistryTestKit",
                "CarillonTestKit", "CarillonTLS", arguments,
            ]),
        tests(
            "CarillonLoad", in: .commands, ofProgram: "carillon-load",
            [
                "CarillonCommandLine", "CarillonCore", "CarillonWire", "CarillonClient", "CarillonTestKit",
                "CarillonVersion", arguments,
            ]),
        tests(
            "APNsSimulator", in: .tools, ofProgram: "apns-simulator",
            [
                "CarillonCore", "CarillonSimulator", "CarillonTestKit", "CarillonTLS",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "PushSimulator", in: .tools, ofProgram: "push-simulator",
            [
                "CarillonCore", "CarillonHTTP2", "CarillonProvider", "CarillonSimulator", "CarillonTLS",
                "CarillonTestKit", "CarillonWebPush", .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        .testTarget(
            name: "ScenarioTests", dependencies: ["CarillonClient", "CarillonCore", "CarillonTestKit"],
            swiftSettings: settings),
    ]
)

// libFuzzer brings the main of carillon-fuzz, so it can only be linked with --sanitize=fuzzer: Tools/prove fuzz asks
// for it.
if Context.environment["CARILLON_FUZZ"] != nil {
    package.targets.append(
        tool(
            "carillon-fuzz",
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonProvider", "CarillonAPNs", "CarillonHTTP2",
                "CarillonHTTP2Server", "CarillonLMDB", "CarillonRegistry", "CarillonWireTestKit",
            ])
    )
}
