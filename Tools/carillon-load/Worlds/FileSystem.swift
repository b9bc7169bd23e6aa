import Glibc

/// What kind of file system a folder is in.
enum FileSystem {
    /// Memory that looks like a disk: a sync costs nothing there.
    static let memory: Set = ["tmpfs", "ramfs"]

    /// The name of the kind, as `ext4`; `unknown` where that cannot be said.
    static func kind(of folder: String) -> String {
        guard let path = realpath(folder, nil) else { return "unknown" }
        defer { free(path) }
        return kind(of: String(cString: path), in: ProcessUsage.text("/proc/self/mountinfo") ?? "")
    }

    /// The kind of the mount that is nearest to a path, of a table in the form of /proc/self/mountinfo (proc(5)).
    static func kind(of path: String, in table: String) -> String {
        var nearest = (length: 0, kind: "unknown")
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let point = fields[4]
            let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
            // A later mount on the same point hides the one before.
            if isAbove, point.count >= nearest.length { nearest = (point.count, String(fields[dash + 1])) }
        }
        return nearest.kind
    }
}
