import CarillonCommandLine
import Foundation

/// A screen that is redrawn on the terminal's alternate page; the normal page keeps its content.
///
/// `end` restores the terminal. It is called in every case, also after Control-C, which only asks the command to end.
final class LiveScreen {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var savedSettings: termios?
    private var hasEnded = false

    /// Switches to the alternate page, hides the cursor, and reads keys one by one without echo.
    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            savedSettings = settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        // Control-Z would leave the alternate page on the screen.
        signal(SIGTSTP, SIG_IGN)
        StandardOutput.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
        if var savedSettings { tcsetattr(STDIN_FILENO, TCSANOW, &savedSettings) }
        signal(SIGTSTP, SIG_DFL)
    }

    deinit { end() }

    /// The current size of the terminal, read for each drawing, so that a change is noticed.
    var size: Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Draws lines, which must fit, and clears the rest of the screen, in one write, so that nothing flickers.
    func draw(_ lines: [String]) {
        StandardOutput.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Returns the keys that were pressed since the last call.
    func keys() -> [Character] {
        var keys: [Character] = []
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while savedSettings != nil, poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 {
            var key: UInt8 = 0
            guard read(STDIN_FILENO, &key, 1) == 1 else { break }
            keys.append(Character(Unicode.Scalar(key)))
        }
        return keys
    }
}
