import CarillonCore
import CarillonLMDB
import CarillonThread

/// A read that a thread submits to the writer, and waits for.
// Safety: until `result` is set only the writer's thread touches the rest, then only the thread that waits.
final class BlockingRead<R>: @unchecked Sendable {
    typealias Body = (borrowing ReadTransaction, Tables) throws -> R

    /// The closure of the read. It is released before the waiting thread goes on, because it refers to the stack of
    /// that thread.
    private var body: Body?
    private var answer: Result<R, any Error>?
    private let result = BlockingResult<Void, RegistryError>()

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

    /// Releases the closure, which will not be called again.
    func releaseBody() { body = nil }

    /// Waits until the writer has run the closure, or has failed. Returns the answer, or the error.
    func wait() -> Result<R, any Error>? {
        switch result.wait() {
        case .success: answer
        case .failure(let error): .failure(error)
        }
    }
}
