import CarillonCommandLine
import Foundation

/// The user and the groups with whose rights the program opens files.
///
/// If root runs it, the program works in a data directory with the rights of the directory's owner. With root's rights,
/// the owner could make the program write into any file of the machine, by a symbolic link with the name of a file of
/// the database. And the owner's server could not open files that root has made.
struct ProcessUser: Equatable {
    /// The effective user.
    let user: uid_t
    /// The effective group.
    let group: gid_t
    /// The supplementary groups.
    let groups: [gid_t]

    /// The user and the groups with which the program was started. They are read before the first change.
    private static let atStart = current

    /// True if the program was started by root, so that it can take other users and groups.
    private static var canChange: Bool { atStart.user == 0 }

    static var current: ProcessUser {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return ProcessUser(user: geteuid(), group: getegid(), groups: Array(groups.prefix(max(0, Int(count)))))
    }

    /// Runs `body` with the rights of the owner of the directory `path`. It runs with the rights that the program was
    /// started with in three cases: the program was not started by root, root owns the directory, or there is no
    /// directory.
    static func runAsOwner<Answer>(
        of path: String, _ body: () throws(CommandError) -> Answer
    ) throws(CommandError) -> Answer {
        guard canChange else { return try body() }
        // The directory is opened first, so that the owner belongs to this directory: its name could be given to
        // another one in between.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_uid != 0 else {
            return try run(as: atStart, body)
        }
        return try run(as: ProcessUser(user: status.st_uid, group: status.st_gid, groups: [status.st_gid]), body)
    }

    private static func run<Answer>(
        as processUser: ProcessUser, _ body: () throws(CommandError) -> Answer
    ) throws(CommandError) -> Answer {
        let before = current
        guard canChange, before != processUser else { return try body() }
        try processUser.become()
        defer {
            do throws(CommandError) { try before.become() } catch {
                StandardError.printLine("\(StandardError.errorPrefix) \(error.message)")
                exit(ExitStatus.usage.rawValue)
            }
        }
        return try body()
    }

    /// Takes the user and the groups, for all threads. The real user stays root, so that they can be given back.
    private func become() throws(CommandError) {
        let isTaken =
            seteuid(0) == 0 && setgroups(groups.count, groups) == 0 && setegid(group) == 0 && seteuid(user) == 0
        guard isTaken, geteuid() == user, getegid() == group else {
            throw .system("cannot be taken as the user and the group to work with", "\(user):\(group)")
        }
    }
}
