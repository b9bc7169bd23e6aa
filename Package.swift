// swift-tools-version: 6.2
// The layout of Carillon: a module imports only modules above it. Modules of decisions (Core, Wire, Session, Gateway,
// Provider, APNs, FCM, WebPush, Delivery, Cluster) cannot import I/O. Each C library has exactly one importer in
// Sources; nghttp2 has another one in Tools, for the server half of HTTP/2, and OpenSSL one in the tests of
// CarillonTLS.
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

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.target(name: name)] + dependencies, swiftSettings: settings)
}

// The tests of a program. Their target is called after the main type of the program.
func tests(_ name: String, ofProgram program: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.target(name: program)] + dependencies, swiftSettings: settings)
}

// A program that a package installs.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

// A program that only developers run, or that stands in for a provider.
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
        // C libraries, made visible and nothing else.
        .systemLibrary(
            name: "CCarillonLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"])]
        ),
        .systemLibrary(
            name: "CCarillonNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"])]
        ),
        .systemLibrary(
            name: "CCarillonOpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),

        .target(
            name: "CCarillonRevision", cSettings: revision.map { [.define("CARILLON_REVISION", to: $0)] } ?? []),

        // The groups are those of Sources/Documentation/Architecture.md.
        //
        // Domain and protocol. No I/O.
        library("CarillonCore"),
        library("CarillonWire", ["CarillonCore"]),
        library("CarillonSession", ["CarillonCore", "CarillonWire"]),
        library("CarillonGateway", ["CarillonCore", "CarillonWire"]),

        // System and C libraries. They open no sockets.
        library("CarillonThread"),
        library("CarillonClock", ["CarillonCore"]),
        library("CarillonSpelling"),
        library("CarillonVersion", ["CCarillonRevision"]),
        library("CarillonLMDB", ["CCarillonLMDB", "CarillonThread"]),
        library("CarillonTLS", ["CCarillonOpenSSL"]),
        library("CarillonHTTP2", ["CCarillonNghttp2"]),
        library("CarillonTLSChannel", ["CarillonTLS"] + nio),

        // Storage and cluster. CarillonCluster has decisions only.
        library("CarillonCluster", ["CarillonCore"]),
        library(
            "CarillonRegistry",
            [
                "CarillonCore", "CarillonCluster", "CarillonWire", "CarillonClock", "CarillonLMDB", "CarillonThread",
                deques,
            ]),
        // libpq is loaded when it is first used, so that a server without a cluster needs no PostgreSQL library.
        .target(name: "CCarillonPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        library(
            "CarillonPostgreSQL",
            ["CCarillonPostgreSQL", "CarillonCore", "CarillonCluster", "CarillonClock", "CarillonThread", deques]),
        library(
            "CarillonClusterNode",
            [
                "CarillonCore", "CarillonCluster", "CarillonClock", "CarillonRegistry", "CarillonThread",
            ] + nio),

        // Delivery and providers. Only CarillonTransport has I/O.
        library("CarillonDelivery", ["CarillonCore", deques, heaps]),
        library("CarillonProvider", ["CarillonCore"]),
        library("CarillonAPNs", ["CarillonCore", "CarillonProvider"]),
        library("CarillonFCM", ["CarillonCore", "CarillonProvider"]),
        library("CarillonWebPush", ["CarillonCore", "CarillonProvider", "CarillonTLS"]),
        library(
            "CarillonTransport",
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
            exclude: ["Assets"],
            swiftSettings: settings
        ),
        library(
            "CarillonServer",
            [
                "CarillonHTTP", "CarillonCluster", "CarillonClusterNode", "CarillonPostgreSQL", "CarillonCore",
                "CarillonWire", "CarillonSession", "CarillonClock", "CarillonRegistry", "CarillonProvider",
                "CarillonAPNs", "CarillonFCM", "CarillonWebPush", "CarillonDelivery", "CarillonTransport",
                "CarillonTLS", "CarillonTLSChannel", "CarillonSpelling", "CarillonVersion", configuration, coreMetrics,
                http1, lifecycle, log, signals,
            ] + nio),
        program(
            "carillond",
            [
                "CarillonServer", "CarillonCore", "CarillonSpelling", "CarillonTLS", "CarillonVersion", lifecycle,
                signals, configuration, coreMetrics, log, system,
            ]),

        // Clients and programs.
        library(
            "CarillonClient",
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTLSChannel",
                "CarillonVersion", lifecycle, log,
            ] + nio),
        // The client of the simulators' control port. It needs no HTTP/2, so it is a library of its own.
        library("CarillonSimulatorControl", nio),
        library("CarillonArguments", ["CarillonSpelling", arguments]),
        library(
            "CarillonCommandLine",
            [
                "CarillonArguments", "CarillonClient", "CarillonCore", "CarillonSpelling", "CarillonVersion", arguments,
            ]),
        program(
            "carillon",
            [
                "CarillonArguments", "CarillonClient", "CarillonClock", "CarillonCommandLine", "CarillonCore",
                "CarillonSpelling", "CarillonVersion", arguments,
            ]),
        program(
            "carillon-dump",
            [
                "CarillonArguments", "CarillonClient", "CarillonClock", "CarillonCommandLine", "CarillonCore",
                "CarillonRegistry", "CarillonTLS", "CarillonVersion", arguments,
            ]),
        program(
            "carillon-load",
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTLSChannel",
                "CarillonClient", "CarillonArguments", "CarillonCommandLine", "CarillonSimulatorControl",
                "CarillonSpelling", "CarillonVersion", arguments, histogram,
            ] + nio),

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

        // Tests. What several targets need is in the four test kits.
        .target(
            name: "CarillonTestKit",
            dependencies: ["CarillonCore", "CarillonWire", "CarillonTLS", log] + nio,
            path: "Tests/CarillonTestKit",
            swiftSettings: settings
        ),
        .target(
            name: "CarillonRegistryTestKit",
            dependencies: ["CarillonCore", "CarillonRegistry", "CarillonTestKit"],
            path: "Tests/CarillonRegistryTestKit",
            swiftSettings: settings
        ),
        // What the tests of clusters and carillon-cluster-simulation need.
        .target(
            name: "CarillonClusterTestKit",
            dependencies: ["CarillonCluster", "CarillonCore", heaps],
            path: "Tests/CarillonClusterTestKit",
            swiftSettings: settings
        ),
        tests("CarillonCluster", ["CarillonCore", "CarillonClusterTestKit", "CarillonTestKit"]),
        .target(
            name: "CarillonPostgreSQLTestKit",
            dependencies: ["CarillonCluster", "CarillonClusterTestKit", "CarillonPostgreSQL"],
            path: "Tests/CarillonPostgreSQLTestKit",
            swiftSettings: settings
        ),
        tests(
            "CarillonPostgreSQL",
            ["CarillonCluster", "CarillonCore", "CarillonClusterTestKit", "CarillonPostgreSQLTestKit"]),
        tests(
            "CarillonClusterNode",
            [
                "CarillonCluster", "CarillonClusterTestKit", "CarillonCore", "CarillonPostgreSQLTestKit",
                "CarillonLMDB", "CarillonRegistry", "CarillonRegistryTestKit", "CarillonTestKit", "CarillonThread",
            ] + nio),
        tests("CarillonCore", ["CarillonTestKit"]),
        tests("CarillonWire", ["CarillonCore", "CarillonTestKit"]),
        tests("CarillonSession", ["CarillonCore", "CarillonWire", "CarillonTestKit"]),
        tests("CarillonGateway", ["CarillonCore", "CarillonWire", "CarillonTestKit"]),
        tests(
            "CarillonHTTP",
            [
                "CarillonCore", "CarillonGateway", "CarillonWire", "CarillonTestKit", http1,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests("CarillonProvider", ["CarillonCore", "CarillonAPNs"]),
        tests("CarillonAPNs", ["CarillonCore", "CarillonProvider", "CarillonTestKit"]),
        tests("CarillonFCM", ["CarillonCore", "CarillonProvider", "CarillonTLS", "CarillonTestKit"]),
        tests("CarillonWebPush", ["CarillonCore", "CarillonProvider", "CarillonTLS", "CarillonTestKit"]),
        tests("CarillonDelivery", ["CarillonCore", "CarillonAPNs", "CarillonFCM", "CarillonProvider"]),
        tests("CarillonLMDB", ["CarillonCore", "CarillonTestKit", "CarillonThread"]),
        tests("CarillonThread", []),
        tests("CarillonTLS", ["CCarillonOpenSSL", "CarillonTestKit"]),
        tests(
            "CarillonTLSChannel",
            ["CarillonTLS", "CarillonTestKit", .product(name: "NIOEmbedded", package: "swift-nio")] + nio),
        tests("CarillonHTTP2", ["CarillonHTTP2Server"]),
        tests(
            "CarillonRegistry",
            [
                "CarillonCluster", "CarillonCore", "CarillonWire", "CarillonClock", "CarillonLMDB",
                "CarillonRegistryTestKit", "CarillonTestKit",
            ]),
        tests(
            "CarillonTransport",
            [
                "CarillonCore", "CarillonProvider", "CarillonAPNs", "CarillonFCM", "CarillonClock", "CarillonHTTP2",
                "CarillonHTTP2Server", "CarillonTLS", "CarillonTestKit", coreMetrics, log,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "CarillonServer",
            [
                "CarillonCore", "CarillonWire", "CarillonSession", "CarillonClock", "CarillonTLS", "CarillonTestKit",
                "CarillonAPNs", "CarillonDelivery", "CarillonTransport", configuration, coreMetrics, log,
                // The bounds of the page Architecture.
                "CarillonCluster", "CarillonHTTP", "CarillonPostgreSQL", "CarillonRegistry",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "CarillonClient",
            [
                "CarillonCore", "CarillonWire", "CarillonTestKit", "CarillonTLS", "CarillonTLSChannel", log,
                .product(name: "Metrics", package: "swift-metrics"),
            ] + nio),
        tests("CarillonSpelling", []),
        tests("CarillonArguments", [arguments]),
        tests("CarillonCommandLine", ["CarillonClient", "CarillonTestKit", arguments]),
        tests("Carillond", ofProgram: "carillond", ["CarillonServer"]),
        tests(
            "Carillon", ofProgram: "carillon",
            [
                "CarillonArguments", "CarillonClient", "CarillonCommandLine", "CarillonCore", "CarillonTestKit",
                "CarillonWire", arguments,
            ]),
        tests(
            "CarillonDump", ofProgram: "carillon-dump",
            [
                "CarillonCommandLine", "CarillonCore", "CarillonLMDB", "CarillonRegistry", "CarillonRegistryTestKit",
                "CarillonTestKit", "CarillonTLS", arguments,
            ]),
        tests(
            "CarillonLoad", ofProgram: "carillon-load",
            [
                "CarillonCommandLine", "CarillonCore", "CarillonWire", "CarillonClient", "CarillonTestKit",
                "CarillonVersion", arguments,
            ]),
        tests(
            "APNsSimulator", ofProgram: "apns-simulator",
            [
                "CarillonCore", "CarillonSimulator", "CarillonSimulatorControl", "CarillonTestKit", "CarillonTLS",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "PushSimulator", ofProgram: "push-simulator",
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
                "CarillonHTTP2Server", "CarillonLMDB", "CarillonRegistry",
            ])
    )
}
