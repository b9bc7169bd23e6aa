import CarillonCore
import CarillonLMDB

/// The thread that appends records to the log, so that a batch is applied while the next one becomes durable.
///
/// From ``begin(_:)`` to ``end()`` the log belongs to this thread, otherwise to the writer.
///
// Safety: mutable properties are only touched with `lock` held; the log belongs to one thread at a time.
final class LogAppender: @unchecked Sendable {
    private let log: any ChangeLog
    private let lock = ConditionLock()
    /// Called on this thread when a record was appended, or could not be.
    private let onAppended: @Sendable () -> Void
    private var frames: [UInt8]?
    private var result: Result<Bool, RegistryError>?
    private var isStopped = false

    /// Starts the thread.
    ///
    /// - Throws: `.storageFailed` if there is no thread.
    init(log: any ChangeLog, onAppended: @escaping @Sendable () -> Void) throws(RegistryError) {
        (self.log, self.onAppended) = (log, onAppended)
        try SystemThread.start { [self] in run() }
    }

    /// Begins to append a record; the one before has ended.
    func begin(_ frames: [UInt8]) {
        lock.withLock { self.frames = frames }
        lock.signalAll()
    }

    /// Waits for the record that was begun; see ``ChangeLog/append(_:)``.
    func end() throws(RegistryError) -> Bool {
        let result = lock.withLock {
            while self.result == nil { lock.wait() }
            defer { self.result = nil }
            return self.result
        }
        return try result?.get() ?? false
    }

    /// Ends the thread. No record may be on its way.
    func stop() {
        lock.withLock { isStopped = true }
        lock.signalAll()
    }

    private func run() {
        while let frames = next() {
            let result = Result { () throws(RegistryError) in try log.append(frames) }
            lock.withLock { self.result = result }
            lock.signalAll()
            onAppended()
        }
    }

    private func next() -> [UInt8]? {
        lock.withLock {
            while frames == nil, !isStopped { lock.wait() }
            defer { frames = nil }
            return frames
        }
    }
}
