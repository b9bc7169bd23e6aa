import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// Makes an error that a server has answered with.
private func answered(_ code: ErrorCode) -> CarillonError {
    var error = CarillonError(.server(code), message: "")
    error.attempts = 1
    return error
}

/// The exit status of each error, and its explanation in the help.
struct ExitStatusTests {
    @Test(arguments: [
        (CarillonError(.server(.notFound), message: ""), CarillonCommandLine.ExitStatus.refused),
        (CarillonError(.server(.forbidden), message: ""), .refused),
        (CarillonError(.server(.authenticationFailed), message: ""), .refused),
        (answered(.invalidArgument), .refused),
        (CarillonError(.invalidArgument, message: ""), .usage),
        (CarillonError(.server(.rateLimited), message: ""), .refused),
        (CarillonError(.server(.storageFull), message: ""), .refused),
        (CarillonError(.server(ErrorCode(rawValue: 999)), message: ""), .refused),
        (CarillonError(.server(.draining), message: ""), .unreachable),
        (CarillonError(.server(.deadline), message: ""), .unreachable),
        (CarillonError(.server(.timeout), message: ""), .unreachable),
        (CarillonError(.server(.tooManyConnections), message: ""), .unreachable),
        (CarillonError(.noAnswer, message: ""), .unreachable),
        (CarillonError(.cannotConnect, message: ""), .unreachable),
        (CarillonError(.connectionLost, message: ""), .unreachable),
        (CarillonError(.untrusted, message: ""), .unreachable),
    ])
    func `each error has its exit status`(error: CarillonError, status: CarillonCommandLine.ExitStatus) {
        #expect(CarillonCommandLine.ExitStatus(error) == status)
    }

    @Test func `every exit status is explained`() {
        let lines = CarillonCommandLine.ExitStatus.explanation.split(separator: "\n").map(String.init)
        let explained = lines.compactMap { line in Int32(line.prefix(3).filter(\.isNumber)) }
        // Only carillon-dump reports corrupt data.
        #expect(explained == CarillonCommandLine.ExitStatus.allCases.filter { $0 != .damaged }.map(\.rawValue))
        #expect(Carillon.helpMessage().contains(lines[1]))
    }
}
