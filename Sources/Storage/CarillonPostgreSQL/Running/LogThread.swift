import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonThread
import Glibc
import Synchronization

/// The thread of a log: the thread waits in poll(2) for the sockets of all queues, for new calls and for the next time
/// at which something is due.
///
/// A call from another thread goes into `inbox`, and the thread is woken. Each queue (``JobQueue``) has a connection
/// for one purpose, so that a long read does not delay an append or the renewal of a lease. Connecting may block, and
/// so has a thread of its own.
// Safety: `queues` and `entryWait` are only touched on the thread; commands of other threads are in `inbox`.
final class LogThread: @unchecked Sendable {
    /// A command from another thread.
    // Safety: a job is made by one thread and then touched by the thread of the log alone.
    enum Command: @unchecked Sendable {
        case job(any PendingJob, PostgreSQLConnector.Purpose)
        case awaitEntries(after: LogPosition, deadline: Uptime, completion: LogCompletion<LogPage>)
        case connected(
            Result<PostgreSQLConnector.Session, LogError>, PostgreSQLConnector.Purpose, attempt: UInt64)
        case close
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        var isClosed = false
        /// True if the thread wakes by itself before a new call that waits for entries has to poll. Then the thread is
        /// not woken when such a call comes.
        var wakesBeforePoll = false
    }

    private let connector: PostgreSQLConnector
    private let polling: PostgreSQLLog.Polling
    private let wakeup: Wakeup
    private let inbox = Mutex(Inbox())
    private var queues: [PostgreSQLConnector.Purpose: JobQueue] = [:]
    private var entryWait: EntryWait
    /// The name of the log that was seen first. Another log is refused.
    private let firstLog: FirstLog

    init(_ connector: PostgreSQLConnector, polling: PostgreSQLLog.Polling, firstLog: FirstLog) throws(LogError) {
        guard let wakeup = Wakeup() else { throw .unavailable(.none, "the process has no descriptors left") }
        self.connector = connector
        self.polling = polling
        entryWait = EntryWait(polling: polling)
        self.wakeup = wakeup
        self.firstLog = firstLog
    }

    /// Starts the thread, which holds a reference to this object until ``Command/close``.
    func start() throws(LogError) {
        try onNewThread(named: "log") { [self] in run() }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Throws: `.unavailable` if the system has no thread.
    private func onNewThread(named name: String, _ body: sending @escaping () -> Void) throws(LogError) {
        do {
            try SystemThread.start(named: name, body)
        } catch {
            throw .unavailable(.none, error.description)
        }
    }

    /// Gives a command to the thread, from any thread. If the log is closed, a call fails.
    func post(_ command: Command) {
        let (isClosed, wakes) = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.commands.append(command) }
            guard inbox.wakesBeforePoll, case .awaitEntries = command else { return (inbox.isClosed, true) }
            return (inbox.isClosed, false)
        }
        guard isClosed else {
            if wakes { wakeup.wake() }
            return
        }
        let failure = LogError.unavailable(.none, "the log is closed")
        switch command {
        case .job(let job, _): job.fail(failure)
        case .awaitEntries(_, _, let completion): completion(.failure(failure))
        case .connected, .close: break
        }
    }

    // MARK: On the thread

    private func run() {
        for purpose in PostgreSQLConnector.Purpose.allCases {
            let callbacks = JobQueue.Callbacks(
                connect: { [unowned self] purpose, attempt in connect(for: purpose, attempt: attempt) },
                notified: { [unowned self] notifiers in notificationsReceived(by: notifiers) })
            queues[purpose] = JobQueue(for: purpose, callbacks: callbacks)
        }
        while true {
            let commands = inbox.withLock { inbox in
                defer { (inbox.commands, inbox.wakesBeforePoll) = ([], false) }
                return inbox.commands
            }
            for (index, command) in commands.enumerated() {
                if case .close = command { return close(failing: commands[(index + 1)...]) }
                handle(command)
            }
            let now = Clock.uptime()
            pollLog(at: now)
            for queue in queues.values { queue.advance(at: now) }
            wait()
        }
    }

    private func handle(_ command: Command) {
        switch command {
        case .job(let job, let purpose): queues[purpose]?.submit(job)
        case .awaitEntries(let position, let deadline, let completion):
            let before = entryWait.begin(
                after: position, deadline: deadline, notifyingSession: notifyingSession, completion)
            before?.completion(.failure(.unavailable(.none, "another call waits for entries")))
        case .connected(let result, let purpose, let attempt):
            var result = result
            if case .success(let session) = result, let log = session.log, !firstLog.rememberOrCompare(log) {
                result = .failure(.refused("this is another log than the one that was connected to before"))
            }
            queues[purpose]?.connected(result, attempt: attempt, at: Clock.uptime())
        case .close: break
        }
    }

    private func connect(for purpose: PostgreSQLConnector.Purpose, attempt: UInt64) {
        let connector = connector
        do throws(LogError) {
            try onNewThread(named: "connector") { [self] in
                let result = Result { () throws(LogError) in try connector.connect(purpose) }
                post(.connected(result, purpose, attempt: attempt))
            }
        } catch {
            post(.connected(.failure(error), purpose, attempt: attempt))
        }
    }

    // MARK: Waiting for entries

    /// The number of the session for reads, if it has notifications; otherwise nil.
    private var notifyingSession: Int32? {
        guard let session = queues[.read]?.session, session.features.hasNotifications else { return nil }
        return session.connection.sessionNumber
    }

    /// Called on the thread of the log when this node has appended an entry.
    func appended(at position: LogPosition) { entryWait.appended(at: position) }

    /// Polls the end of the log for the call that waits for entries, if a poll is due.
    private func pollLog(at now: Uptime) {
        guard let call = entryWait.beginPoll(at: now) else { return }
        let deadline = max(call.deadline, now) + polling.pollMilliseconds
        let job = PollJob(position: call.position)
        queues[.read]?.submit(SubmittedJob(job, deadline: deadline) { [self] result in pollEnded(result, since: now) })
    }

    /// Takes the result of a poll, which began at `start`. Called on the thread of the log.
    private func pollEnded(_ result: Result<LogPage, LogError>, since start: Uptime) {
        let ended = entryWait.pollEnded(result, since: start, at: Clock.uptime(), notifyingSession: notifyingSession)
        ended?.completion(result)
    }

    /// Notes which nodes have appended entries. This node knows its own entries already.
    private func notificationsReceived(by notifiers: [Int32]) {
        let own = queues[.append]?.session?.connection.sessionNumber
        if notifiers.contains(where: { $0 != own }) { entryWait.notified() }
    }

    // MARK: Waiting and the end

    private func wait() {
        let now = Clock.uptime()
        // Notifications that come while entries are gathered stay in the socket, and do not wake the thread.
        let gathers = now < entryWait.gatheringEnd && queues[.read]?.isIdle == true
        let purposes = queues.keys.filter { queues[$0]?.descriptor != nil && !(gathers && $0 == .read) }
        var descriptors = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        descriptors += purposes.compactMap { queues[$0]?.descriptor }
        var times = queues.values.compactMap(\.nextEvent)
        if gathers { times.append(entryWait.gatheringEnd) }
        if let pollTime = entryWait.pollTime { times.append(pollTime) }
        var wakesBeforePoll = false
        // A call that comes during this time is found when it has to poll, or when something is notified.
        if entryWait.call == nil, let firstPoll = entryWait.firstPollOfNewCall(notifyingSession: notifyingSession),
            firstPoll > now
        {
            times.append(firstPoll)
            wakesBeforePoll = true
        }
        let isIdle = inbox.withLock { inbox in
            inbox.wakesBeforePoll = wakesBeforePoll
            return inbox.commands.isEmpty
        }
        guard isIdle else { return }
        let left = times.min().map { Int32(clamping: $0.milliseconds(since: now)) } ?? -1
        guard poll(&descriptors, nfds_t(descriptors.count), left) > 0 else { return }
        if descriptors[0].revents != 0 { wakeup.clear() }
        let woken = Clock.uptime()
        for (index, purpose) in purposes.enumerated() where descriptors[index + 1].revents != 0 {
            queues[purpose]?.ready(at: woken)
        }
    }

    /// Fails all calls: those in progress, those that came after the close, and those that come later.
    private func close(failing commands: ArraySlice<Command>) {
        let late = inbox.withLock { inbox in
            inbox.isClosed = true
            return inbox.commands
        }
        for queue in queues.values { queue.close() }
        let failure = LogError.unavailable(.none, "the log is closed")
        entryWait.end()?.completion(.failure(failure))
        for command in commands + late {
            switch command {
            case .job(let job, _): job.fail(failure)
            case .awaitEntries(_, _, let completion): completion(.failure(failure))
            case .connected, .close: break
            }
        }
        queues = [:]
    }
}
