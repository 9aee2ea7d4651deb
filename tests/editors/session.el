;; What a user does in Emacs, step by step; what is seen goes to a file as JSON. Arguments: by environment.
(require 'json)
(require 'cl-lib)
(setq eglot-sync-connect 60 eglot-connect-timeout 120 eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0.1 make-backup-files nil)

(defvar seen nil)

(defun note (name value) (push (cons name value) seen))

(defun finish ()
  (write-region (json-encode (reverse seen)) nil (getenv "RESULT"))
  (kill-emacs 0))

(defun wait-for (what condition)
  (let ((end (time-add nil 120)))
    (while (and (not (funcall condition)) (time-less-p nil end))
      (accept-process-output nil 0.1)
      (sit-for 0.05))
    (unless (funcall condition) (note "missing" what) (finish))))

(defun diagnostics ()
  (mapcar (lambda (item) `((line . ,(1- (line-number-at-pos (flymake-diagnostic-beg item))))
                           (text . ,(flymake-diagnostic-text item))))
          (sort (flymake-diagnostics)
                (lambda (one two) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg two))))))

(defun text () (buffer-substring-no-properties (point-min) (point-max)))

(find-file (getenv "SCRIPT"))
(unless (eglot-current-server) (apply #'eglot (eglot--guess-contact)))
(wait-for "diagnostics" (lambda () (>= (length (flymake-diagnostics)) 2)))
(note "diagnostics" (vconcat (diagnostics)))

(goto-char (point-min))
(search-forward "synchron")
(note "hover" (eglot--hover-info
               (plist-get (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                           (eglot--TextDocumentPositionParams))
                          :contents)))
(let ((before (text)) (last-nonmenu-event ?\r))
  (cl-letf (((symbol-function 'completing-read)
             (lambda (prompt collection &rest _)
               (let ((names (all-completions "" collection)))
                 (note "actions" (vconcat names))
                 (car names)))))
    (eglot-code-actions (point) nil nil t))
  (wait-for "the action's edit" (lambda () (not (equal (text) before)))))
(note "text" (text))
;; Without a person there is no idle time, in which eglot would send the change; saving sends it, too.
(save-buffer)
(wait-for "diagnostics of the changed text" (lambda () (= (length (flymake-diagnostics)) 1)))
(note "left" (vconcat (diagnostics)))
(gpu2ascend-migrate (getenv "OUTPUT"))
(finish)
