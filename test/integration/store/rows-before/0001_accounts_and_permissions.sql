INSERT INTO rooms VALUES ('room_1', 'lab', '{}', 1, NULL);
INSERT INTO tasks (id, room_id, title, origin, request, mode, has_arbiter, direct, budget_usd, budget_tokens,
  budget_minutes, budget_rounds, budgets, state, next_turn, next_question, waiting, criteria_fixed, asked, rounds,
  rounds_without_progress, retries, arbitrations, changed_finishes, created_at)
VALUES ('task_1', 'room_1', 'Fill the cart', 'message', 'Fill the cart.', 'tribunal', 1, 0, 10, 5000000,
  120, 12, 1, 'awaiting_person', 2, 3, '[]', 0, '[]', 0, 0, 0, 0, 0, 1);
INSERT INTO turns (id, task_id, number, role, purpose, phase, attempt, session, workspace, messages, status, created_at)
VALUES ('turn_1', 'task_1', 1, 'owner', 'work', 'running', 1, 'continue', 'keep', '[]', 'ended', 1);
INSERT INTO attempts VALUES ('att_1', 'turn_1', 1, 'nonce', 'boot', 1, 2, 'ended', NULL);
INSERT INTO sessions VALUES ('ses_1', 'task_1', 'owner', 1);
INSERT INTO escalations VALUES ('esc_1', 'task_1', 1, 'blocked', 'Which cart?', '["send_back","stop"]', NULL, NULL,
  '{}', 'hash', 'answered', 'send_back', 'The red one.', 'a person', 1, 2);
INSERT INTO escalations VALUES ('esc_2', 'task_1', 2, 'blocked', 'Which red one?', '["send_back","stop"]', NULL, NULL,
  '{}', 'hash', 'open', NULL, NULL, NULL, 3, NULL);
