import CarillonClient
import CarillonCommandLine
import Testing

/// The advice that errors give.
struct CarillonErrorOutputTests {
    @Test(arguments: [
        (CarillonError.Code.server(.forbidden), "carillon ping"), (.server(.authenticationFailed), "--api-key-file"),
        (.server(.unsupportedOpcode), "older"), (.server(.rateLimited), "go slower"),
        (.server(.overloaded), "carillon top"), (.server(.storageFull), "data.limitMebibytes"),
        (.server(.storageFailed), "log"), (.server(.draining), "try again"),
        (.server(.tooManyConnections), "limits.connections"), (.server(.stale), "later"),
        (.server(.idempotencyConflict), "--key"), (.cannotConnect, "--server"), (.cannotConnect, "--ca"),
        (.untrusted, "--ca"),
    ])
    func `a hint names what to change`(code: CarillonError.Code, word: String) throws {
        #expect(try #require(CarillonError(code, message: "").advice).contains(word))
    }
}
