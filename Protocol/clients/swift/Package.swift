// swift-tools-version: 6.2
// A program that uses the Swift client of Carillon. In a program of your own the package has an address and a version
// instead of a path.
import PackageDescription

let package = Package(
    name: "carillon-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "carillon", path: "../../..")],
    targets: [
        .executableTarget(
            name: "carillon-examples", dependencies: [.product(name: "CarillonClient", package: "carillon")]),
        .executableTarget(
            name: "carillon-client-benchmark", dependencies: [.product(name: "CarillonClient", package: "carillon")]),
    ]
)
