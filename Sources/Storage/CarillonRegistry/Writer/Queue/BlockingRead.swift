import CarillonCore
import CarillonLMDB
import CarillonThread

/// A read of a thread that waits for it.
// Safety: until `result` is set only the writer's thread touches the rest, then only the thread that waits.
final class BlockingRead<R>: @unchecked Sendable {
    typealias Body = (borrowing ReadTransaction, Tables) throws -> R

    /// The closure of the read. It is released before the waiting thread goes on, because it refers to the stack of
    /// that thread.
    private var body: Body?
    private var answer: Result<R, any Error>?
    private let result = BlockingResult<Void>()

    init(_ body: @escaping Body) {
        self.body = body
    }

    var writerRead: WriterRead {
        WriterRead(
            principal: WriterRead.serverPrincipal,
            needs: .everything,
            run: { [self] transaction, tables, _ in
                run(in: transaction, with: tables)
                result.set(.success(()))
            },
            fail: { [self] error in
                releaseBody()
                result.set(.failure(error))
            })
    }

    private func run(in transaction: borrowing ReadTransaction, with tables: Tables) {
        guard let body else { return }
        do {
            answer = .success(try body(transaction, tables))
        } catch {
            answer = .failure(error)
        }
        releaseBody()
    }

    /// Releases the closure, which will not be called any more.
    func releaseBody() { body = nil }

    /// Waits until the writer has run the closure, and returns its answer.
    func wait() -> Result<R, any Error>? {
        switch result.wait() {
        case .success: answer
        case .failure(let error): .failure(error)
        }
    }
}

/// A result that one thread sets and another waits for.
// Safety: `result` is only touched with `lock` held.
final class BlockingResult<Value: Sendable>: @unchecked Sendable {
    private let lock = ConditionLock()
    private var result: Result<Value, RegistryError>?

    /// Sets the result and wakes the thread that waits.
    func set(_ result: Result<Value, RegistryError>) {
        lock.withLock { self.result = result }
        lock.signalAll()
    }

    func wait() -> Result<Value, RegistryError> {
        lock.withLock {
            while true {
                if let result { return result }
                lock.wait()
            }
        }
    }
}
