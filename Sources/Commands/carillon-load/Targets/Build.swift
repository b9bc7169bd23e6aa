/// The kind of build of a program. A debug build is several times slower than a release build.
enum Build: String, Codable, Sendable {
    case debug
    case release

    static var own: Build {
        #if DEBUG
        .debug
        #else
        .release
        #endif
    }

    /// Returns the build of a running process of this machine. It follows from the directory of its program, if that is
    /// a build directory of SwiftPM: `.build/…/debug`. Nil if it is another directory, or if the process is not
    /// visible.
    static func of(processID: Int32) -> Build? {
        ProcessUsage.link("/proc/\(processID)/exe").flatMap { of(program: $0) }
    }

    /// Returns the build of a program by its path; nil if the path is not in a build directory.
    static func of(program path: String) -> Build? {
        let folders = path.split(separator: "/").dropLast()
        guard folders.contains(where: { $0.hasPrefix(".build") }) else { return nil }
        return folders.last.flatMap { Build(rawValue: String($0)) }
    }
}
