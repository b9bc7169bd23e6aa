import Glibc

/// The machine of the load tool, as a result describes it.
struct MachineDescription: Codable, Equatable, Sendable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var kernel: String
    /// The load average of the last minute before the load.
    var loadBefore: Double

    static var current: MachineDescription {
        let processors = ProcessUsage.text("/proc/cpuinfo") ?? ""
        let model = processors.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let load = ProcessUsage.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
        return MachineDescription(
            processor: model.map { $0.drop { $0 == " " } }.map(String.init) ?? "unknown",
            cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            memoryBytes: UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE))),
            kernel: ProcessUsage.text("/proc/sys/kernel/osrelease")?.split(separator: "\n").first.map(String.init)
                ?? "",
            loadBefore: load ?? 0
        )
    }
}

/// The kind of file system of a directory.
enum FileSystem {
    /// The kinds that are in memory. A sync costs nothing there.
    static let memory: Set = ["tmpfs", "ramfs"]

    /// Returns the name of the kind, such as `ext4`; `unknown` if it cannot be found.
    static func kind(of folder: String) -> String {
        guard let path = realpath(folder, nil) else { return "unknown" }
        defer { free(path) }
        return kind(of: String(cString: path), in: ProcessUsage.text("/proc/self/mountinfo") ?? "")
    }

    /// Returns the kind of the mount that contains a path, from a table in the format of /proc/self/mountinfo
    /// (proc(5)).
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
