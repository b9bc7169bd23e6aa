import Testing

@testable import carillon_load

struct FileSystemTests {
    @Test(arguments: [
        ("/var/tmp/x", "ext4"), ("/tmp", "tmpfs"), ("/tmp/a/b", "tmpfs"), ("/tmpfiles", "ext4"), ("/mnt/data/x", "xfs"),
    ])
    func theFileSystemIsThatOfTheNearestMount(path: String, kind: String) {
        let table = """
            22 1 252:1 / / rw,relatime - ext4 /dev/vda1 rw
            30 22 0:26 / /tmp rw,nosuid shared:5 - tmpfs tmpfs rw
            31 22 0:27 / /mnt/data rw - ext4 /dev/vdb rw
            32 22 0:28 / /mnt/data rw - xfs /dev/vdc rw
            broken -
            """
        #expect(FileSystem.kind(of: path, in: table) == kind)
    }
}
