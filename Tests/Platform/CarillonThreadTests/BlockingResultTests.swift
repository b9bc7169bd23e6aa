import CarillonThread
import Testing

/// A result that another thread sets. A wakeup that does not arrive lets a test hang until the limit of time.
@Suite(.timeLimit(.minutes(1)))
struct BlockingResultTests {
    private struct Refused: Error, Equatable {}

    @Test func `a thread waits for the result of another one`() throws {
        let result = BlockingResult<Int, Refused>()
        try SystemThread.start(named: "test") { result.set(.success(7)) }
        #expect(result.wait() == .success(7))
    }

    @Test func `a result that is set already is returned at once`() {
        let result = BlockingResult<Int, Refused>()
        result.set(.failure(Refused()))
        #expect(result.wait() == .failure(Refused()))
    }
}
