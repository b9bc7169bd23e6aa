import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The build, debug or release, that the path of a program tells.
struct BuildTests {
    @Test(arguments: [
        ("/src/.build/x86_64-unknown-linux-gnu/debug/carillond", Build?.some(.debug)),
        ("/src/.build/x86_64-unknown-linux-gnu/release/carillond", .release), ("/src/.build/carillond", nil),
        ("/src/.build-tsan/debug/carillond", .debug), ("/usr/bin/carillond", nil), ("/opt/debug/carillond", nil),
        ("", nil),
    ])
    func aProgramInABuildDirectoryTellsItsBuild(path: String, build: Build?) {
        #expect(Build.of(program: path) == build)
    }
}
