import Glibc

/// The machine of the load tool.
struct Machine: Codable, Equatable, Sendable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var kernel: String
    /// The load average of the last minute before the load.
    var loadBefore: Double

    static var current: Machine {
        let processors = ProcessUsage.text("/proc/cpuinfo") ?? ""
        let model = processors.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let load = ProcessUsage.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
        return Machine(
            processor: model.map { $0.drop { $0 == " " } }.map(String.init) ?? "unknown",
            cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            memoryBytes: UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE))),
            kernel: ProcessUsage.text("/proc/sys/kernel/osrelease")?.split(separator: "\n").first.map(String.init)
                ?? "",
            loadBefore: load ?? 0
        )
    }
}
