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
// Safety: `queues` and `waiting` are only touched on the thread; messages of other threads are in `inbox`.
final class LogThread: @unchecked Sendable {
    /// A message from another thread.
    // Safety: a job is made by one thread and then touched by the thread of the log alone.
    enum Message: @unchecked Sendable {
        case job(any PendingJob, PostgreSQLConnector.Purpose)
        case await(position: LogPosition, deadline: Uptime, completion: LogCompletion<LogPage>)
        case connected(
            Result<PostgreSQLConnector.Session, LogError>, PostgreSQLConnector.Purpose, attempt: UInt64)
        case close
    }

    private struct Inbox: Sendable {
        var messages: [Message] = []
        var isClosed = false
        /// True if the thread wakes in time for a call that waits for news, so that it need not be woken for the call.
        var expectsAwait = false
    }

    /// A call that waits for news.
    private struct Waiting {
        var position: LogPosition
        var deadline: Uptime
        var completion: LogCompletion<LogPage>
        var nextPoll: Uptime
        var isPolling = false
        /// True if a notification has come since the last poll began.
        var isNotified = false
    }

    /// A poll that has reached the end of the log. It holds as long as no notification has come since.
    private struct LastPoll {
        /// The time at which the poll began.
        var at: Uptime
        /// The number of the poll's session, which has had all notifications since.
        var session: Int32
        var end: LogPosition
    }

    private let connector: PostgreSQLConnector
    private let polling: PostgreSQLLog.Polling
    private let wakeup: Wakeup
    private let inbox = Mutex(Inbox())
    private var queues: [PostgreSQLConnector.Purpose: JobQueue] = [:]
    private var waiting: Waiting?
    /// The last poll, if a call that comes now need not poll again; nil if a call must poll at once.
    private var lastPoll: LastPoll?
    /// The time until which news are gathered. The log is not polled before it.
    private var gathersUntil: Uptime = 0
    /// The name of the log that was seen first. Another log is refused.
    private let known: KnownLog

    init(_ connector: PostgreSQLConnector, polling: PostgreSQLLog.Polling, known: KnownLog) throws(LogError) {
        guard let wakeup = Wakeup() else { throw .unavailable(.none, "the process has no descriptors left") }
        self.connector = connector
        self.polling = polling
        self.wakeup = wakeup
        self.known = known
    }

    /// Starts the thread, which holds a reference to this object until ``Message/close``.
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

    /// Gives a message to the thread, from any thread. If the log is closed, a call fails.
    func post(_ message: Message) {
        let (isClosed, wakes) = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.messages.append(message) }
            guard inbox.expectsAwait, case .await = message else { return (inbox.isClosed, true) }
            return (inbox.isClosed, false)
        }
        guard isClosed else {
            if wakes { wakeup.wake() }
            return
        }
        let failure = LogError.unavailable(.none, "the log is closed")
        switch message {
        case .job(let job, _): job.fail(failure)
        case .await(_, _, let completion): completion(.failure(failure))
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
            let messages = inbox.withLock { inbox in
                defer { (inbox.messages, inbox.expectsAwait) = ([], false) }
                return inbox.messages
            }
            for message in messages {
                if case .close = message { return close(messages) }
                handle(message)
            }
            let now = Clock.uptime()
            pollLog(at: now)
            for queue in queues.values { queue.advance(at: now) }
            wait()
        }
    }

    private func handle(_ message: Message) {
        switch message {
        case .job(let job, let purpose): queues[purpose]?.submit(job)
        case .await(let position, let deadline, let completion):
            let before = waiting.take()
            let nextPoll = position >= lastPoll?.end ?? 0 ? nextPollWithNotifications : nil
            waiting = Waiting(position: position, deadline: deadline, completion: completion, nextPoll: nextPoll ?? 0)
            before?.completion(.failure(.unavailable(.none, "another call waits for news")))
        case .connected(let result, let purpose, let attempt):
            var result = result
            if case .success(let session) = result, let log = session.log, !known.accepts(log) {
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

    // MARK: News

    /// The time at which a call that waits for news is to poll the end of the log. Nil if it must poll at once: a
    /// notification may have come since the last poll, or have been lost.
    private var nextPollWithNotifications: Uptime? {
        guard let lastPoll, queues[.read]?.session?.connection.sessionNumber == lastPoll.session else { return nil }
        return lastPoll.at + polling.millisecondsWithNotifications
    }

    /// Returns the time at which the log is polled for a call, if the call does not end before.
    private func nextPoll(for waiting: Waiting) -> Uptime { max(waiting.nextPoll, gathersUntil) }

    /// Moves a call that waits behind this node's new entry: the entry is no news to it. Called on the thread of the
    /// log.
    func appended(at position: LogPosition) {
        if let waiting, waiting.position.next == position { self.waiting?.position = position }
    }

    /// Polls the end of the log for the call that waits for news, if a poll is due.
    private func pollLog(at now: Uptime) {
        guard var waiting, !waiting.isPolling, now >= min(nextPoll(for: waiting), waiting.deadline) else { return }
        (waiting.isPolling, waiting.isNotified) = (true, false)
        self.waiting = waiting
        let deadline = max(waiting.deadline, now) + polling.pollMilliseconds
        let job = NewsJob(position: waiting.position)
        queues[.read]?.submit(SubmittedJob(job, deadline: deadline) { [self] result in pollEnded(result, since: now) })
    }

    /// Takes the result of a poll, and ends the call or schedules its next poll. Called on the thread of the log.
    ///
    /// - Parameter start: the time at which the poll began.
    private func pollEnded(_ result: Result<LogPage, LogError>, since start: Uptime) {
        guard var waiting else { return }
        let now = Clock.uptime()
        lastPoll = nil
        if case .success(let page) = result, !waiting.isNotified, let session = queues[.read]?.session,
            session.features.hasNotifications
        {
            lastPoll = LastPoll(at: start, session: session.connection.sessionNumber, end: page.head.position)
        }
        // Why try?: a failure is given to the completion, as news is.
        let head = (try? result.get())?.head
        let isNews = head.map { $0.position > waiting.position || $0.trimmed > waiting.position } ?? true
        if isNews || now >= waiting.deadline {
            self.waiting = nil
            if isNews, head != nil { gathersUntil = now + polling.gatherMilliseconds }
            return waiting.completion(result)
        }
        let hasNotifications = queues[.read]?.session?.features.hasNotifications ?? false
        // An entry that was notified during the poll may be later than the entries that the poll has seen.
        waiting.nextPoll =
            waiting.isNotified
            ? now
            : now
                + (hasNotifications ? polling.millisecondsWithNotifications : polling.millisecondsWithoutNotifications)
        waiting.isPolling = false
        self.waiting = waiting
    }

    /// Notes that other nodes have appended entries. This node knows its own entries already.
    private func notificationsReceived(by notifiers: [Int32]) {
        let own = queues[.append]?.session?.connection.sessionNumber
        guard notifiers.contains(where: { $0 != own }) else { return }
        lastPoll = nil
        waiting?.isNotified = true
        waiting?.nextPoll = 0
    }

    // MARK: Waiting and the end

    private func wait() {
        let now = Clock.uptime()
        // Notifications that come while news are gathered stay in the socket, and do not wake the thread.
        let gathers = now < gathersUntil && queues[.read]?.isIdle == true
        let purposes = queues.keys.filter { queues[$0]?.descriptor != nil && !(gathers && $0 == .read) }
        var descriptors = [pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        descriptors += purposes.compactMap { queues[$0]?.descriptor }
        var times = queues.values.compactMap(\.nextEvent)
        if gathers { times.append(gathersUntil) }
        if let waiting, !waiting.isPolling { times.append(min(nextPoll(for: waiting), waiting.deadline)) }
        // A call that comes meanwhile is found when it has to poll, or when something is notified.
        let nextPoll = waiting == nil ? nextPollWithNotifications.flatMap { $0 > now ? $0 : nil } : nil
        if let nextPoll { times.append(nextPoll) }
        let isIdle = inbox.withLock { inbox in
            inbox.expectsAwait = nextPoll != nil
            return inbox.messages.isEmpty
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

    private func close(_ messages: [Message]) {
        let late = inbox.withLock { inbox in
            inbox.isClosed = true
            return inbox.messages
        }
        for queue in queues.values { queue.close() }
        let failure = LogError.unavailable(.none, "the log is closed")
        waiting.take()?.completion(.failure(failure))
        for message in messages + late {
            switch message {
            case .job(let job, _): job.fail(failure)
            case .await(_, _, let completion): completion(.failure(failure))
            case .connected, .close: break
            }
        }
        queues = [:]
    }
}

/// The name of the log to which a process has connected first.
final class KnownLog: Sendable {
    private let log = Mutex<UUIDBytes?>(nil)

    init(_ log: UUIDBytes?) { self.log.withLock { $0 = log } }

    /// Remembers the first log that was found, and returns true if this log is that one.
    func accepts(_ found: UUIDBytes) -> Bool {
        log.withLock { log in
            if log == nil { log = found }
            return log == found
        }
    }
}
