import Testing

@testable import carillon_load

/// The kinds of file systems and of builds, as the machine tells them.
struct MachineDescriptionTests {
    @Test(arguments: [
        ("/var/tmp/x", "ext4"), ("/tmp", "tmpfs"), ("/tmp/a/b", "tmpfs"), ("/tmpfiles", "ext4"), ("/mnt/data/x", "xfs"),
    ])
    func `the file system is that of the nearest mount`(path: String, kind: String) {
        let table = """
            22 1 252:1 / / rw,relatime - ext4 /dev/vda1 rw
            30 22 0:26 / /tmp rw,nosuid shared:5 - tmpfs tmpfs rw
            31 22 0:27 / /mnt/data rw - ext4 /dev/vdb rw
            32 22 0:28 / /mnt/data rw - xfs /dev/vdc rw
            broken -
            """
        #expect(FileSystem.kind(of: path, in: table) == kind)
    }

    @Test(arguments: [
        ("/src/.build/x86_64-unknown-linux-gnu/debug/carillond", Build?.some(.debug)),
        ("/src/.build/x86_64-unknown-linux-gnu/release/carillond", .release), ("/src/.build/carillond", nil),
        ("/src/.build-tsan/debug/carillond", .debug), ("/usr/bin/carillond", nil), ("/opt/debug/carillond", nil),
        ("", nil),
    ])
    func `a program in a build directory tells its build`(path: String, build: Build?) {
        #expect(Build.of(program: path) == build)
    }
}
