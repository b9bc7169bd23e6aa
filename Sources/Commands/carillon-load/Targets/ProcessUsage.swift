import Glibc

/// The resources that a process on this machine has used, from /proc.
struct ProcessUsage: Equatable, Sendable {
    /// The CPU seconds of all threads of the process, user and system.
    var cpuSeconds: Double
    /// The resident memory of the process now, in bytes.
    var residentBytes: UInt64

    /// Reads the usage of a process; nil if there is no such process.
    init?(processID: Int32) {
        // The name, in parentheses, may contain anything; the fields after it are counted from 3 (proc(5)).
        guard let stat = Self.text("/proc/\(processID)/stat"), let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[nameEnd...].split(separator: " ")
        guard fields.count > 13, let user = UInt64(fields[12]), let system = UInt64(fields[13]),
            let memory = Self.text("/proc/\(processID)/statm")?.split(separator: " "), memory.count > 1,
            let pages = UInt64(memory[1])
        else { return nil }
        cpuSeconds = (Double(user) + Double(system)) / Double(sysconf(Int32(_SC_CLK_TCK)))
        residentBytes = pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Returns the id of the process that listens on a port of this machine; nil if it is not visible.
    static func processListening(onPort port: Int) -> Int32? {
        let sockets = Set(
            ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { inodes(listeningOn: port, in: text($0) ?? "") })
        guard !sockets.isEmpty else { return nil }
        for processID in entries("/proc").compactMap(Int32.init) {
            for file in entries("/proc/\(processID)/fd") {
                if let target = link("/proc/\(processID)/fd/\(file)"), sockets.contains(target) { return processID }
            }
        }
        return nil
    }

    /// Returns the names in /proc of the sockets that listen on a port, from a table in the format of /proc/net/tcp.
    static func inodes(listeningOn port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":"),
                Int(fields[1][fields[1].index(after: colon)...], radix: 16) == port
            else { return nil }
            return "socket:[\(fields[9])]"
        }
    }

    /// Reads a small file as text; nil if it cannot be read.
    static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    /// Returns the target of a symbolic link; nil if it cannot be read or is longer than 4 KB.
    static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 && count < bytes.count
            ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// A meter of the resources that a process uses between the first and the last sample.
struct UsageMeter {
    private let process: LoadRunner.WatchedProcess
    private var first: ProcessUsage?
    private var last: (usage: ProcessUsage, seconds: Double)?
    private var peakResidentBytes: UInt64 = 0
    private var samples: [RunResult.Sample] = []

    init(_ process: LoadRunner.WatchedProcess) {
        self.process = process
    }

    /// Takes a sample. `seconds` counts from the start of the measured time.
    mutating func sample(at seconds: Double) {
        guard let usage = ProcessUsage(processID: process.processID) else { return }
        if first == nil { first = usage }
        peakResidentBytes = max(peakResidentBytes, usage.residentBytes)
        if let last, seconds > last.seconds {
            let cores = (usage.cpuSeconds - last.usage.cpuSeconds) / (seconds - last.seconds)
            samples.append(.init(seconds: seconds, cores: cores, residentBytes: usage.residentBytes))
        }
        last = (usage, seconds)
    }

    /// Returns the resources that were used for `answers` answers in `seconds`.
    func usage(answers: UInt64, seconds: Double) -> RunResult.ProcessUsage {
        let cpuSeconds = (last?.usage.cpuSeconds ?? 0) - (first?.cpuSeconds ?? 0)
        let isAnswering = process.name != RunResult.ProcessUsage.simulator
        return RunResult.ProcessUsage(
            name: process.name,
            cpuSeconds: cpuSeconds,
            cores: cpuSeconds / max(seconds, 0.001),
            answersPerCPUSecond: isAnswering && cpuSeconds > 0 ? Double(answers) / cpuSeconds : nil,
            peakResidentBytes: peakResidentBytes,
            samples: samples
        )
    }
}
